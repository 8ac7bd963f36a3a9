// Tables of the experiments on accuracy: one line per data set.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiment/plan.h"
#include "experiment/summary.h"
#include "experiment/task.h"

namespace unscatter::experiment {
namespace {

// One column of the table, and where its numbers stand in a cell.
struct AccuracyColumn {
  const char* title;
  const char* kind;    // of cells
  const char* method;  // of cells
  bool network;        // cells of GIN, or all others
  const char* goal;    // inside of a tuned cell, or empty
  const char* field;
};
constexpr AccuracyColumn kAccuracyColumns[] = {
    {"GST", "classification", "noise-free", false, "", "accuracy"},
    {"GIN", "classification", "noise-free", true, "", "accuracy"},
    {"recipe, no noise", "accuracy", "built-in", false, "", "accuracy"},
    {"recipe, published", "accuracy", "built-in", false, "", "noisy_accuracy"},
    {"tuned, no noise", "accuracy", "tuned", false, "noise-free", "noisy_accuracy"},
    {"tuned, published", "accuracy", "tuned", false, "removed", "noisy_accuracy"},
    {"tuned, everyone", "accuracy", "tuned", false, "everyone", "noisy_accuracy"},
    {"validated, published", "accuracy", "tuned", false, "validated", "noisy_accuracy"},
};

bool is_about(const AccuracyColumn& column, const CellKey& key) {
  return key.experiment == column.kind && key.method == column.method && is_gin(key) == column.network;
}

// The part of a cell's result that a column is about; null if it is not there.
const Json* part_of(const Json& result, const AccuracyColumn& column) {
  if (*column.goal == '\0') return &result;
  const auto found = result.find(column.goal);
  return found == result.end() ? nullptr : &*found;
}

Spread spread_of_column(const CellGroup& group, const AccuracyColumn& column) {
  std::vector<double> values;
  for (const Json& result : group.results) {
    if (const Json* part = part_of(result, column)) values.push_back(part->at(column.field).get<double>());
  }
  return spread_of(values);
}

// How often each recipe with its loss was chosen.
Json chosen_recipes(const CellGroup& group, const AccuracyColumn& column) {
  Json counts = Json::object();
  for (const Json& result : group.results) {
    const Json* part = part_of(result, column);
    if (part == nullptr || !part->contains("recipe")) continue;
    const std::string choice =
        fmt::format("{}, {}", part->at("recipe").get<std::string>(), part->at("loss").get<std::string>());
    counts[choice] = counts.value(choice, 0) + 1;
  }
  return counts;
}

// Data with a network that sees positions has another one that does not.
bool has_network_with_positions(const std::vector<CellGroup>& groups, const std::string& data_set) {
  return std::any_of(groups.begin(), groups.end(), [&](const CellGroup& group) {
    return group.key.data_set == data_set && group.key.backbone == "gin-positions";
  });
}

std::string line_name(const CellKey& key, const std::vector<CellGroup>& groups) {
  const bool blind =
      key.backbone == "drawing" || (key.backbone == "gin" && has_network_with_positions(groups, key.data_set));
  return blind ? key.data_set + ", no positions" : key.data_set;
}

Json column_json(const CellGroup& group, const AccuracyColumn& column) {
  Json row = {{"data_set", group.key.data_set},
              {"embedding", group.key.backbone},
              {"fresh", group.key.split >= kFirstFreshSplit},
              {"what", column.title},
              {"accuracy", spread_json(spread_of_column(group, column))}};
  Json chosen = chosen_recipes(group, column);
  if (!chosen.empty()) row["chosen"] = std::move(chosen);
  if (column.network) row["epochs"] = group.results.front().at("epochs");
  return row;
}

// Lines in the order in which they come.
using Lines = std::vector<std::pair<std::string, std::map<std::string, std::string>>>;

void set_entry(Lines& lines, const std::string& line, const std::string& column, const std::string& words) {
  auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& other) { return other.first == line; });
  if (found == lines.end()) found = lines.insert(lines.end(), {line, {}});
  found->second[column] = words;
}

SummaryTable table_of(const std::string& title, const Lines& lines, const std::vector<std::string>& columns) {
  SummaryTable table{title, {"data set"}, {}, {}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  for (const auto& [name, entries] : lines) {
    std::vector<std::string> row = {name};
    for (const std::string& column : columns) {
      const auto found = entries.find(column);
      row.push_back(found == entries.end() ? "-" : found->second);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void summarise_accuracy(const std::vector<CellGroup>& groups, Summary& summary) {
  Json rows = Json::array();
  Lines lines[2];  // known splits, fresh splits
  for (const CellGroup& group : groups) {
    if (group.results.empty()) continue;
    for (const AccuracyColumn& column : kAccuracyColumns) {
      if (!is_about(column, group.key)) continue;
      const Spread spread = spread_of_column(group, column);
      if (spread.count == 0) continue;
      rows.push_back(column_json(group, column));
      set_entry(lines[group.key.split >= kFirstFreshSplit ? 1 : 0], line_name(group.key, groups), column.title,
                spread_words(spread, 1));
    }
  }
  std::vector<std::string> shortened = shortened_networks(rows);
  summary.json["rows"] = std::move(rows);
  std::vector<std::string> titles;
  for (const AccuracyColumn& column : kAccuracyColumns) titles.emplace_back(column.title);
  summary.tables.push_back(table_of("test accuracy, %, on the splits that choices were made on", lines[0], titles));
  if (!lines[1].empty()) {
    summary.tables.push_back(table_of("test accuracy, %, on fresh splits", lines[1], titles));
  }
  summary.tables.back().remarks = std::move(shortened);
}

// One column per share of graphs that are learned from.
void summarise_accuracy_curves(const std::vector<CellGroup>& groups, Summary& summary) {
  Json rows = Json::array();
  Lines lines;
  std::vector<std::string> shares;
  for (const CellGroup& group : groups) {
    if (group.results.empty()) continue;
    const double share = std::stod(group.key.variant.substr(group.key.variant.find('-') + 1));
    const std::string title = fmt::format("{:g} %", 100 * share);
    if (std::find(shares.begin(), shares.end(), title) == shares.end()) shares.push_back(title);
    const Spread noisy = spread_of(group, "noisy_accuracy");
    rows.push_back({{"data_set", group.key.data_set},
                    {"share", share},
                    {"accuracy", spread_json(spread_of(group, "accuracy"))},
                    {"noisy_accuracy", spread_json(noisy)}});
    set_entry(lines, group.key.data_set, title, spread_words(noisy, 1));
  }
  summary.json["rows"] = std::move(rows);
  summary.tables.push_back(
      table_of("test accuracy, %, of published models against the share that is learned from", lines, shares));
}

// What is lost with each part, against the whole recipe on the same splits.
void summarise_accuracy_parts(const std::vector<CellGroup>& groups, Summary& summary) {
  SummaryTable table{"test accuracy, %, of published models, and what it changes by if a part is left out",
                     {"data set", "left out", "accuracy", "change"},
                     {},
                     {}};
  Json rows = Json::array();
  const CellGroup* whole = nullptr;
  for (const CellGroup& group : groups) {
    if (group.key.variant == "whole") whole = &group;
    if (group.results.empty() || whole == nullptr || whole->results.size() != group.results.size()) continue;
    std::vector<double> changes;
    for (std::size_t i = 0; i < group.results.size(); ++i) {
      changes.push_back(group.results[i].at("noisy_accuracy").get<double>() -
                        whole->results[i].at("noisy_accuracy").get<double>());
    }
    const Spread accuracy = spread_of(group, "noisy_accuracy");
    const Spread change = spread_of(changes);
    const std::string left_out = &group == whole ? "nothing" : group.key.variant.substr(std::string("without-").size());
    rows.push_back({{"data_set", group.key.data_set},
                    {"left_out", left_out},
                    {"accuracy", spread_json(accuracy)},
                    {"change", spread_json(change)}});
    table.rows.push_back({group.key.data_set, left_out, spread_words(accuracy, 1),
                          &group == whole ? "" : fmt::format("{:+.1f}", change.mean)});
  }
  summary.json["rows"] = std::move(rows);
  summary.tables.push_back(std::move(table));
}

}  // namespace unscatter::experiment
