// Tables whose columns are data sets.  The paper's numbers stand below ours.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "experiment/paper_numbers.h"
#include "experiment/summary.h"

namespace unscatter::experiment {
namespace {

// Rows by method and columns by data set, both in the order in which they come.
class MethodTable {
 public:
  void set(const std::string& row, const std::string& data_set, const std::string& ours,
           const std::optional<std::string>& paper) {
    // Lists and not maps for the order: tables follow the plan, not the alphabet.
    if (std::find(data_sets_.begin(), data_sets_.end(), data_set) == data_sets_.end()) data_sets_.push_back(data_set);
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& other) { return other.name == row; });
    if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{row, {}, {}});
    line->ours[data_set] = ours;
    if (paper) line->paper[data_set] = *paper;
  }

  [[nodiscard]] SummaryTable table(const std::string& title) const {
    SummaryTable table{title, {""}, {}, {}};
    table.columns.insert(table.columns.end(), data_sets_.begin(), data_sets_.end());
    const auto add = [&](const std::string& name, const std::map<std::string, std::string>& cells) {
      std::vector<std::string> row = {name};
      for (const std::string& data_set : data_sets_) {
        const auto found = cells.find(data_set);
        row.push_back(found == cells.end() ? "-" : found->second);
      }
      table.rows.push_back(std::move(row));
    };
    for (const Line& line : lines_) {
      add(line.name, line.ours);
      // No line of dashes where the paper has nothing to compare with.
      if (!line.paper.empty()) add("  in the paper", line.paper);
    }
    return table;
  }

 private:
  struct Line {
    std::string name;
    std::map<std::string, std::string> ours;
    std::map<std::string, std::string> paper;
  };
  std::vector<std::string> data_sets_;
  std::vector<Line> lines_;
};

std::string row_words(const CellKey& key) {
  const std::string method = method_words(key.method);
  return method.empty() ? backbone_words(key.backbone) : fmt::format("{}, {}", backbone_words(key.backbone), method);
}

Json paper_json(const std::optional<PaperNumber>& number) {
  if (!number) return nullptr;
  Json json = {{"mean", number->mean}};
  if (number->stddev) json["stddev"] = *number->stddev;
  return json;
}

std::optional<std::string> paper_words(const std::optional<PaperNumber>& number, int digits) {
  if (!number) return std::nullopt;
  if (!number->stddev) return fmt::format("{:.{}f}", number->mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", number->mean, digits, *number->stddev, digits);
}

Json group_json(const CellGroup& group) {
  Json json = {{"data_set", group.key.data_set}, {"backbone", group.key.backbone}, {"method", group.key.method}};
  if (!group.key.variant.empty()) json["variant"] = group.key.variant;
  json["splits"] = group.results.size();
  if (!group.results.empty() && group.results.front().contains("epochs"))
    json["epochs"] = group.results.front()["epochs"];
  return json;
}

}  // namespace

void summarise_classification(std::string_view name, const std::vector<CellGroup>& groups, Summary& summary) {
  const bool accuracy_wanted = name == "table1";
  MethodTable table;
  Json rows = Json::array();
  std::size_t replaced = 0;
  for (const CellGroup& group : groups) {
    const CellKey& key = group.key;
    Json row = group_json(group);
    std::vector<double> totals;
    std::size_t other_lambda = 0;
    for (const Json& result : group.results) {
      // The paper's time is for all three, so ours has to be as well.
      totals.push_back(result.at("embed_seconds").get<double>() + result.at("train_seconds").get<double>() +
                       result.at("predict_seconds").get<double>());
      // A cell has a remark if another lambda took the place of 0.
      if (result.contains("remark")) ++other_lambda;
    }
    const Spread accuracy = spread_of(group, "accuracy");
    const Spread seconds = spread_of(totals);
    row["accuracy"] = spread_json(accuracy);
    row["seconds"] = spread_json(seconds);
    for (const char* part : {"embed_seconds", "train_seconds", "predict_seconds"})
      row[part] = spread_json(spread_of(group, part));
    row["splits_with_another_lambda"] = other_lambda;
    replaced += other_lambda;
    // The paper's number is for one way of training.  Only our row for the same way stands beside it.
    const bool comparable = key.method == "noise-free";
    const auto paper_of_accuracy = comparable ? paper_accuracy(key.backbone, key.data_set) : std::nullopt;
    const auto paper_of_seconds = comparable ? paper_seconds(key.backbone, key.data_set) : std::nullopt;
    row["paper_accuracy"] = paper_json(paper_of_accuracy);
    row["paper_seconds"] = paper_json(paper_of_seconds);
    if (accuracy_wanted) {
      table.set(row_words(key), key.data_set, spread_words(accuracy, 2), paper_words(paper_of_accuracy, 2));
    } else {
      table.set(row_words(key), key.data_set, spread_words(seconds, 3), paper_words(paper_of_seconds, 2));
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::string> shortened = shortened_networks(rows);
  summary.json["rows"] = std::move(rows);
  summary.tables.push_back(
      table.table(accuracy_wanted ? "test accuracy, %" : "running time, s (embed + train + predict)"));
  summary.tables.back().remarks = std::move(shortened);
  if (replaced > 0) {
    summary.tables.back().remarks.push_back(fmt::format(
        "on {} cells training with lambda = 0 did not converge; a small lambda, stated in the cell, took its place",
        replaced));
  }
}

void summarise_retrains(const std::vector<CellGroup>& groups, Summary& summary) {
  MethodTable table;
  Json rows = Json::array();
  bool sampled = false;
  for (const CellGroup& group : groups) {
    const CellKey& key = group.key;
    if (group.results.empty()) continue;
    const Spread retrains = spread_of(group, "retrains");
    const auto removals = group.results.front().at("removals").get<std::size_t>();
    const auto counted = group.results.front().at("retrains_of").get<std::size_t>();
    bool satisfied = true;
    for (const Json& result : group.results) satisfied = satisfied && result.at("always_satisfied").get<bool>();
    const auto paper = paper_retrains(key.backbone, key.method, key.data_set);
    Json row = group_json(group);
    row["removals"] = removals;
    row["retrains"] = spread_json(retrains);
    row["retrains_of"] = counted;
    row["always_satisfied"] = satisfied;
    row["sampled"] = group.results.front().at("sampled");
    row["paper"] = paper_json(paper);
    rows.push_back(std::move(row));
    sampled = sampled || counted < removals;
    const std::string words = counted < removals ? fmt::format("{:.1f} of first {}", retrains.mean, counted)
                                                 : fmt::format("{:.1f} of {}", retrains.mean, removals);
    table.set(row_words(key), key.data_set, words, paper_words(paper, 1));
  }
  summary.json["retrains"] = std::move(rows);
  summary.tables.push_back(table.table("trainings from scratch"));
  if (sampled) {
    summary.tables.back().remarks.emplace_back(
        "UU on long sequences: removals were done one by one only at the beginning, and retrains counted there");
  }
}

// What noise costs: the mean over splits of the accuracy with noise less that without, on the same split.
void summarise_noise(const std::vector<CellGroup>& groups, Summary& summary) {
  SummaryTable table{"accuracy, %, and what noise on published weights changes it by", {"data set", "lambda"}, {}, {}};
  table.columns.emplace_back("no noise");
  Json rows = Json::array();
  for (const CellGroup& group : groups) {
    if (group.results.empty()) continue;
    const Json& noises = group.results.front().at("noise");
    Json row = group_json(group);
    row["accuracy"] = spread_json(spread_of(group, "accuracy"));
    row["weight_norm"] = spread_json(spread_of(group, "weight_norm"));
    row["noise"] = noises;
    row["change"] = Json::array();
    std::vector<std::string> line = {group.key.data_set, group.key.variant.substr(group.key.variant.find('-') + 1),
                                     spread_words(spread_of(group, "accuracy"), 1)};
    for (std::size_t i = 0; i < noises.size(); ++i) {
      std::vector<double> changes;
      for (const Json& result : group.results) {
        changes.push_back(result.at("noisy_accuracy")[i].get<double>() - result.at("accuracy").get<double>());
      }
      const Spread change = spread_of(changes);
      row["change"].push_back(spread_json(change));
      line.push_back(fmt::format("{:+.2f}", change.mean));
      if (table.rows.empty()) table.columns.push_back(fmt::format("{:g}", noises[i].get<double>()));
    }
    table.rows.push_back(std::move(line));
    rows.push_back(std::move(row));
  }
  summary.json["rows"] = std::move(rows);
  summary.tables.push_back(std::move(table));
}

}  // namespace unscatter::experiment
