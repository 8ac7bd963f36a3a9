#include "removal_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unscatter::cli {
namespace {

// What the model tells alone that is so many models from the last one.
Exposure of_one(const Exposure& all, std::size_t from_the_last) {
  return {from_the_last < all.models ? all.one : std::numeric_limits<double>::infinity(), 1};
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
  Json models = Json::array();
  for (std::size_t i = first_told(exposure); i < told_.size(); ++i) {
    const PublishedEntry& model = told_[i];
    const Exposure one = of_one(exposure, told_.size() - 1 - i);
    models.push_back({{"model", model.number},
                      {"entry", model.sequence},
                      {"time", model.time},
                      {"shift", std::isfinite(one.shift) ? Json(one.shift) : Json(nullptr)},
                      {"best_guess", best_guess(one)}});
  }
  return {{"models", std::move(models)}, {"others", untold(exposure)}};
}

void KnowingModels::add_rows(Table& table, const Exposure& exposure, const Promise& promise) const {
  constexpr std::size_t kShown = 5;  // the last ones: those are the models that are in use
  const std::size_t told = told_.size() - first_told(exposure);
  const std::size_t first = told_.size() - std::min(told, kShown);
  const bool alone = promise.mechanism == Mechanism::kRelease;
  for (std::size_t i = first; i < told_.size(); ++i) {
    const PublishedEntry& model = told_[i];
    std::string words = fmt::format("model {} of {} (entry {}), published before this removal, was computed with it",
                                    model.number, model.time, model.sequence);
    const Exposure one = of_one(exposure, told_.size() - 1 - i);
    if (alone && std::isfinite(one.shift)) words += fmt::format("; exposure by it alone: {}", guess_words(one));
    if (alone && !std::isfinite(one.shift)) words += "; it may tell for certain";
    table.add_row({i == first ? "known to" : "", std::move(words)});
  }
  if (told > kShown)
    table.add_row({"", fmt::format("and {} before; --json names all", counted(told - kShown, "model", "models"))});
  if (const std::size_t others = untold(exposure); others > 0) {
    table.add_row({told == 0 ? "known to" : "", fmt::format("{} that an earlier workspace or a lost copy published",
                                                            counted(others, "model", "models"))});
  }
  if (told > 0) table.add_row({"", "replace these models where they are used: 'unscatter release' gives a new one"});
}

// A model knows no graph that came after it, so those that know are the last ones.
std::size_t KnowingModels::first_told(const Exposure& exposure) const {
  return told_.size() - std::min(told_.size(), exposure.models + exposure.older);
}

std::size_t KnowingModels::untold(const Exposure& exposure) const {
  return exposure.models + exposure.older - (told_.size() - first_told(exposure));
}

Result<KnowingModels> knowing_models(const Workspace& workspace) {
  UNSCATTER_TRY(told, workspace.published_models());
  return KnowingModels(std::move(told));
}

}  // namespace unscatter::cli
