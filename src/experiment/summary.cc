#include "experiment/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace unscatter::experiment {
namespace {

std::vector<CellGroup> groups_of_kind(const std::vector<CellGroup>& groups, std::string_view kind) {
  std::vector<CellGroup> chosen;
  for (const CellGroup& group : groups) {
    if (group.key.experiment == kind) chosen.push_back(group);
  }
  return chosen;
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  // Two passes: the squares are of differences from the mean, so they do not cancel.
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  // The sample standard deviation, with count - 1.
  if (values.size() > 1) spread.stddev = std::sqrt(squares / (count - 1));
  return spread;
}

Spread spread_of(const CellGroup& group, const char* field) {
  std::vector<double> values;
  for (const Json& result : group.results) values.push_back(result.at(field).get<double>());
  return spread_of(values);
}

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"stddev", spread.stddev}, {"splits", spread.count}};
}

std::string spread_words(const Spread& spread, int digits) {
  if (spread.count == 0) return "-";
  // One value has no spread.  "± 0" would claim that there is none.
  if (spread.count == 1) return fmt::format("{:.{}f}", spread.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", spread.mean, digits, spread.stddev, digits);
}

std::string backbone_words(std::string_view backbone) {
  if (backbone == "gst") return "GST";
  if (backbone == "linear-gst") return "linear-GST";
  if (backbone == "gft") return "GFT";
  if (backbone == "gft-signs") return "GFT, arbitrary signs";
  if (backbone == "gin") return "GIN";
  if (backbone == "gin-positions") return "GIN, positions";
  return std::string(backbone);
}

std::string method_words(std::string_view method) {
  if (method == "noise-free") return "";
  if (method == "objective") return "noise in the objective";
  if (method == "release") return "ours (release)";
  if (method == "release-tombstone") return "ours, degrees kept";
  if (method == "ours-paper") return "the paper's method";
  if (method == "uu") return "UU";
  if (method == "retrain" || method == "gin-retrain") return "Retrain";
  return std::string(method);
}

std::vector<std::string> shortened_networks(const Json& rows) {
  constexpr std::size_t kPaperEpochs = GinOptions{}.epochs;
  std::vector<std::string> remarks;
  for (const Json& row : rows) {
    if (row.value("epochs", kPaperEpochs) == kPaperEpochs) continue;
    std::string remark = fmt::format("GIN on {}: {} epochs, not {}", row["data_set"].get<std::string>(),
                                     row["epochs"].dump(), kPaperEpochs);
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(std::move(remark));
  }
  return remarks;
}

Summary summarise_experiment(std::string_view name, const std::vector<CellGroup>& groups) {
  Summary summary;
  summary.json = {{"experiment", name}};
  if (name == "table1" || name == "table2") {
    summarise_classification(name, groups, summary);
  } else if (name == "table3" || name == "recipe-removals") {
    summarise_retrains(groups, summary);
  } else if (name == "figure6") {
    summarise_residuals(groups, summary);
  } else if (name == "batch") {
    summarise_batches(groups, summary);
  } else if (name == "noise") {
    summarise_noise(groups, summary);
  } else if (name == "accuracy") {
    summarise_accuracy(groups, summary);
  } else if (name == "accuracy-curves") {
    summarise_accuracy_curves(groups, summary);
  } else if (name == "accuracy-parts") {
    summarise_accuracy_parts(groups, summary);
  } else if (name == "datasets") {
    summarise_classification("table1", groups_of_kind(groups, "classification"), summary);
    summarise_retrains(groups_of_kind(groups, "unlearning"), summary);
    summarise_curves("accuracy and time", groups_of_kind(groups, "unlearning"), summary);
  } else {
    for (const ExperimentName& entry : experiment_names()) {
      if (entry.name == name) summarise_curves(entry.what, groups, summary);
    }
  }
  std::size_t failed = 0;
  for (const CellGroup& group : groups) failed += group.failed;
  summary.json["failed_cells"] = failed;
  if (failed > 0 && !summary.tables.empty()) {
    summary.tables.back().remarks.push_back(fmt::format("{} cells failed; their files say why", failed));
  }
  return summary;
}

}  // namespace unscatter::experiment
