#include "removal_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace unscatter::cli {
namespace {

// The part of one of the models.  (15) of docs/theory.md has sqrt(models) in it.
Exposure of_one(const Exposure& all) {
  if (all.models == 0) return {};
  return {all.shift / std::sqrt(static_cast<double>(all.models)), 1};
}

std::string guess_words(const Exposure& exposure) {
  const double guess = best_guess(exposure);
  // Not 1.00: nobody is ever certain.
  return guess > 0.995 ? "more than 0.99" : fmt::format("{:.2f}", guess);
}

}  // namespace

std::string edits_words(const EditCounts& edits) {
  std::string words;
  const auto add = [&words](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) words += (words.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(edits.nodes, "node", "nodes");
  add(edits.edges, "edge", "edges");
  add(edits.features, "node's features", "nodes' features");
  words = words.empty() ? "nothing" : words;
  const std::size_t touched = edits.graphs_edited + edits.graphs_removed;
  words += fmt::format(", in {}", counted(touched, "graph", "graphs"));
  if (edits.graphs_removed > 0) {
    words += fmt::format("; {} whole", counted(edits.graphs_removed, "graph goes", "graphs go"));
  }
  return words;
}

Json edits_json(const EditCounts& edits) {
  return {{"graphs_edited", edits.graphs_edited},
          {"graphs_removed", edits.graphs_removed},
          {"nodes", edits.nodes},
          {"edges", edits.edges},
          {"features", edits.features}};
}

Json KnowingModels::json(const Exposure& exposure) const {
  const Exposure one = of_one(exposure);
  Json models = Json::array();
  for (const PublishedEntry& model : told_) {
    models.push_back({{"model", model.number},
                      {"entry", model.sequence},
                      {"time", model.time},
                      {"shift", std::isfinite(one.shift) ? Json(one.shift) : Json(nullptr)},
                      {"best_guess", best_guess(one)}});
  }
  return {{"models", std::move(models)}, {"others", untold()}};
}

void KnowingModels::add_rows(Table& table, const Exposure& exposure, const Promise& promise) const {
  if (published_ == 0) return;
  constexpr std::size_t kShown = 5;  // the last ones: those are the models that are in use
  const std::size_t first = told_.size() - std::min(told_.size(), kShown);
  const bool alone = promise.mechanism == Mechanism::kRelease && exposure.models > 0;
  for (std::size_t i = first; i < told_.size(); ++i) {
    const PublishedEntry& model = told_[i];
    std::string words = fmt::format("model {} of {} (entry {}), published before this removal, was computed with it",
                                    model.number, model.time, model.sequence);
    if (alone) words += fmt::format("; exposure by it alone: {}", guess_words(of_one(exposure)));
    table.add_row({i == first ? "known to" : "", std::move(words)});
  }
  if (first > 0) table.add_row({"", fmt::format("and {} before; --json names all", counted(first, "model", "models"))});
  if (untold() > 0) {
    table.add_row({told_.empty() ? "known to" : "", fmt::format("{} that an earlier workspace or a lost copy published",
                                                                counted(untold(), "model", "models"))});
  }
  if (!told_.empty())
    table.add_row({"", "replace these models where they are used: 'unscatter release' gives a new one"});
}

Result<KnowingModels> knowing_models(const Workspace& workspace) {
  UNSCATTER_TRY(told, workspace.published_models());
  return KnowingModels(std::move(told), workspace.info().published);
}

}  // namespace unscatter::cli
