// Curves along removals.  The plots are drawn from them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiment/summary.h"

namespace unscatter::experiment {
namespace {

// Means and standard deviations of one field over all splits, place by place.
struct SpreadCurve {
  Json mean = Json::array();
  Json stddev = Json::array();
};

// Splits may differ in length: graphs without an edge are left out where edges are removed.
std::size_t common_length(const CellGroup& group, const char* list) {
  std::size_t length = group.results.empty() ? 0 : group.results.front().at(list).size();
  for (const Json& result : group.results) length = std::min(length, result.at(list).size());
  return length;
}

template <typename Pick>
SpreadCurve spread_curve(const CellGroup& group, std::size_t length, Pick pick) {
  SpreadCurve curve;
  for (std::size_t p = 0; p < length; ++p) {
    std::vector<double> values;
    for (const Json& result : group.results) {
      const Json& value = pick(result, p);
      // GIN has no residual; its cells hold null there.
      if (value.is_number()) values.push_back(value.template get<double>());
    }
    const Spread spread = spread_of(values);
    curve.mean.push_back(values.empty() ? Json(nullptr) : Json(spread.mean));
    curve.stddev.push_back(values.empty() ? Json(nullptr) : Json(spread.stddev));
  }
  return curve;
}

Json curve_key_json(const CellGroup& group) {
  Json json = {{"data_set", group.key.data_set},
               {"backbone", group.key.backbone},
               {"method", group.key.method},
               {"variant", group.key.variant},
               {"splits", group.results.size()}};
  if (!group.results.empty() && group.results.front().contains("epochs"))
    json["epochs"] = group.results.front()["epochs"];
  return json;
}

bool any_warm(const CellGroup& group) {
  return std::any_of(group.results.begin(), group.results.end(),
                     [](const Json& result) { return result.value("warm_retraining", false); });
}

bool any_sampled(const CellGroup& group) {
  return std::any_of(group.results.begin(), group.results.end(),
                     [](const Json& result) { return result.at("sampled").get<bool>(); });
}

bool all_satisfied(const CellGroup& group) {
  return std::all_of(group.results.begin(), group.results.end(),
                     [](const Json& result) { return result.value("always_satisfied", true); });
}

Json removal_curve(const CellGroup& group) {
  const std::size_t length = common_length(group, "points");
  Json curve = curve_key_json(group);
  Json removed = Json::array();
  for (std::size_t p = 0; p < length; ++p) removed.push_back(group.results.front().at("points")[p].at("removed"));
  curve["removed"] = std::move(removed);
  for (const char* field : {"accuracy", "seconds", "retrains", "residual"}) {
    SpreadCurve spread = spread_curve(group, length, [field](const Json& result, std::size_t p) -> const Json& {
      return result.at("points")[p].at(field);
    });
    curve[field] = {{"mean", std::move(spread.mean)}, {"stddev", std::move(spread.stddev)}};
  }
  const Json& first = group.results.front();
  curve["train_graphs"] = first.at("train_graphs");
  curve["removals"] = first.at("removals");
  curve["sampled"] = any_sampled(group);
  curve["single_removals"] = first.at("single_removals");
  curve["updates"] = first.at("updates");
  curve["total_retrains"] = spread_json(spread_of(group, "retrains"));
  curve["retrains_of"] = first.at("retrains_of");
  curve["always_satisfied"] = all_satisfied(group);
  return curve;
}

std::string accuracy_words(const CellGroup& group, std::size_t place) {
  std::vector<double> values;
  for (const Json& result : group.results) values.push_back(result.at("points")[place].at("accuracy").get<double>());
  return spread_words(spread_of(values), 2);
}

// "12.3", "0.00123": three digits, since times run from microseconds to hours.
std::string seconds_words(double seconds) { return fmt::format("{:.3g}", seconds); }

}  // namespace

void summarise_curves(std::string_view title, const std::vector<CellGroup>& groups, Summary& summary) {
  SummaryTable table{std::string(title),
                     {"data set", "backbone", "method", "", "removals", "accuracy before", "after", "seconds",
                      "retrains", "certified"},
                     {},
                     {}};
  Json curves = Json::array();
  bool sampled = false;
  bool warm = false;
  for (const CellGroup& group : groups) {
    if (group.results.empty()) continue;
    curves.push_back(removal_curve(group));
    const Json& curve = curves.back();
    const std::size_t last = curve["removed"].size() - 1;
    const bool estimated = any_sampled(group);
    sampled = sampled || estimated;
    warm = warm || any_warm(group);
    const Spread seconds = spread_of(group, "seconds");
    // UU counts trainings only among its first removals.  The table must not show them as those of all.
    const bool some_retrains_only = curve["retrains_of"] < curve["removals"];
    table.rows.push_back(
        {group.key.data_set, backbone_words(group.key.backbone), method_words(group.key.method), group.key.variant,
         curve["removals"].dump(), accuracy_words(group, 0), accuracy_words(group, last),
         fmt::format("{}{}", seconds_words(seconds.mean), estimated ? " *" : ""),
         fmt::format("{:.1f}{}", curve["total_retrains"]["mean"].get<double>(),
                     some_retrains_only ? fmt::format(" of first {}", curve["retrains_of"].dump()) : ""),
         all_satisfied(group) ? "yes" : "no"});
  }
  summary.json["curves"] = std::move(curves);
  if (warm) {
    table.remarks.emplace_back(
        "the paper's method on long sequences: its trainings started from the present weights, which takes less time "
        "than from "
        "scratch");
  }
  if (sampled) {
    table.remarks.emplace_back(
        "* not every removal was done singly; the time is the mean of those measured times the number of removals");
  }
  summary.tables.push_back(std::move(table));
}

void summarise_residuals(const std::vector<CellGroup>& groups, Summary& summary) {
  SummaryTable table{"residual norms (largest of one update; cumulated over all), means over splits",
                     {"data set", "removals", "true residual", "tightened", "data-dependent", "worst case",
                      "cumulated: tightened", "data-dependent", "worst case"},
                     {},
                     {}};
  Json series = Json::array();
  for (const CellGroup& group : groups) {
    if (group.results.empty()) continue;
    const std::size_t length = common_length(group, "residual");
    Json entry = curve_key_json(group);
    entry["removals"] = length;
    std::vector<std::string> row = {group.key.data_set, std::to_string(length)};
    std::vector<std::string> cumulated_words;
    const auto add = [&](Json& place, const char* field, bool cumulated, auto pick) {
      SpreadCurve spread = spread_curve(group, length, pick);
      double shown = 0;
      // The table has room for one number per curve.  The largest one is what a bound has to stay below.
      for (const Json& value : spread.mean) shown = std::max(shown, value.get<double>());
      (cumulated ? cumulated_words : row).push_back(fmt::format("{:.2e}", shown));
      place[field] = {{"mean", std::move(spread.mean)}, {"stddev", std::move(spread.stddev)}};
    };
    add(entry, "residual", false,
        [](const Json& result, std::size_t p) -> const Json& { return result.at("residual")[p]; });
    for (const char* kind : {"step", "cumulated"}) {
      Json bounds = Json::object();
      for (const char* bound : {"tight", "data", "worst"}) {
        add(bounds, bound, std::string_view(kind) == "cumulated",
            [&](const Json& result, std::size_t p) -> const Json& { return result.at(kind).at(bound)[p]; });
      }
      entry[kind] = std::move(bounds);
    }
    row.insert(row.end(), cumulated_words.begin(), cumulated_words.end());
    table.rows.push_back(std::move(row));
    series.push_back(std::move(entry));
  }
  summary.json["series"] = std::move(series);
  summary.tables.push_back(std::move(table));
}

void summarise_batches(const std::vector<CellGroup>& groups, Summary& summary) {
  SummaryTable table{
      "one update for a whole batch",
      {"data set", "removals", "seconds", "per removal", "Newton steps", "residual", "accuracy", "certified"},
      {},
      {}};
  Json rows = Json::array();
  for (const CellGroup& group : groups) {
    if (group.results.empty()) continue;
    Json row = curve_key_json(group);
    const auto removals = group.results.front().at("removals").get<std::size_t>();
    // Sizes beyond the number of training graphs give the same as that number.
    if (!rows.empty() && rows.back().at("data_set") == group.key.data_set && rows.back().at("removals") == removals)
      continue;
    row["removals"] = removals;
    for (const char* field : {"seconds", "newton_steps", "residual", "distance", "accuracy"}) {
      row[field] = spread_json(spread_of(group, field));
    }
    const bool satisfied = std::all_of(group.results.begin(), group.results.end(),
                                       [](const Json& result) { return result.at("satisfied").get<bool>(); });
    row["always_satisfied"] = satisfied;
    const double seconds = spread_of(group, "seconds").mean;
    table.rows.push_back({group.key.data_set, std::to_string(removals), seconds_words(seconds),
                          seconds_words(seconds / static_cast<double>(std::max<std::size_t>(removals, 1))),
                          spread_words(spread_of(group, "newton_steps"), 1),
                          fmt::format("{:.1e}", spread_of(group, "residual").mean),
                          spread_words(spread_of(group, "accuracy"), 2), satisfied ? "yes" : "no"});
    rows.push_back(std::move(row));
  }
  summary.json["rows"] = std::move(rows);
  summary.tables.push_back(std::move(table));
}

}  // namespace unscatter::experiment
