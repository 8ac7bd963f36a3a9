// From cells to tables and figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/cell.h"
#include "experiment/experiment.h"

namespace unscatter::experiment {

// The cells of all splits of one setting, in order.
struct CellGroup {
  CellKey key;                // its split is the first one
  std::vector<Json> results;  // without those that failed
  std::size_t failed = 0;
};

struct Summary {
  Json json;
  std::vector<SummaryTable> tables;
};

// `name` is one of experiment_names(); `groups` are those of its plan, in its order.
[[nodiscard]] Summary summarise_experiment(std::string_view name, const std::vector<CellGroup>& groups);

// Parts of the above, by the kind of cells.
void summarise_classification(std::string_view name, const std::vector<CellGroup>& groups, Summary& summary);
void summarise_retrains(const std::vector<CellGroup>& groups, Summary& summary);
void summarise_curves(std::string_view title, const std::vector<CellGroup>& groups, Summary& summary);
void summarise_residuals(const std::vector<CellGroup>& groups, Summary& summary);
void summarise_batches(const std::vector<CellGroup>& groups, Summary& summary);
void summarise_accuracy(const std::vector<CellGroup>& groups, Summary& summary);
void summarise_accuracy_curves(const std::vector<CellGroup>& groups, Summary& summary);
void summarise_accuracy_parts(const std::vector<CellGroup>& groups, Summary& summary);
void summarise_noise(const std::vector<CellGroup>& groups, Summary& summary);

// Mean and sample standard deviation.
struct Spread {
  double mean = 0;
  double stddev = 0;  // 0 for one value
  std::size_t count = 0;
};
[[nodiscard]] Spread spread_of(const std::vector<double>& values);
[[nodiscard]] Spread spread_of(const CellGroup& group, const char* field);
[[nodiscard]] Json spread_json(const Spread& spread);
// For instance "68.56 ± 3.52".
[[nodiscard]] std::string spread_words(const Spread& spread, int digits);

[[nodiscard]] std::string backbone_words(std::string_view backbone);
[[nodiscard]] std::string method_words(std::string_view method);

// What a table says where GIN was not trained for the epochs of the paper, by rows that state epochs.  Each data set
// once.
[[nodiscard]] std::vector<std::string> shortened_networks(const Json& rows);

}  // namespace unscatter::experiment
