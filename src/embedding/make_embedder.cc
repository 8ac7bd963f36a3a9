#include "unscatter/embedding/make_embedder.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "embedding/blocks/recipes.h"
#include "embedding/features/form.h"

namespace unscatter {
namespace {

// Graphs only: nothing else is fitted on.
Dataset undirected_copy(const Dataset& dataset) {
  Dataset copy;
  copy.graphs.reserve(dataset.size());
  for (const Graph& graph : dataset.graphs) copy.graphs.push_back(symmetrised(graph));
  return copy;
}

constexpr std::string_view kRowsWithScale = "rows:";

Result<double> parse_row_scale(std::string_view text) {
  double scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error == std::errc() && end == text.data() + text.size() && scale > 0 && std::isfinite(scale)) return scale;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("embedding {}{}: the scale is a positive number, by which all rows are divided",
                           kRowsWithScale, text)};
}

}  // namespace

TransformSpec default_transform() {
  TransformSpec spec;
  spec.family = "portrait";
  return spec;
}

Result<TransformSpec> parse_embedding(std::string_view text, const TransformSpec& base) {
  TransformSpec spec = base;
  if (text == "rows" || text.starts_with(kRowsWithScale)) {
    spec.family = "rows";
    spec.row_scale = 1;
    if (text == "rows") return spec;
    UNSCATTER_TRY(scale, parse_row_scale(text.substr(kRowsWithScale.size())));
    spec.row_scale = scale;
    return spec;
  }
  if (text == "portrait" || text == "paper") {
    spec.family = text == "paper" ? "geometric" : "portrait";
    return spec;
  }
  UNSCATTER_TRY(recipe, canonical_recipe(text));
  spec.family = "blocks";
  spec.recipe = std::move(recipe);
  return spec;
}

bool embedding_is_built_in(std::string_view text) {
  if (text == "portrait" || text == "paper" || text == "rows") return true;
  return is_recipe_name(text);
}

std::string usual_features(const TransformSpec& spec) {
  if (spec.family == "blocks") return recipe_features(spec.recipe);
  if (spec.family == "rows") return "attributes";
  return spec.family == default_transform().family ? std::string(kDefaultFeatures) : "auto";
}

double usual_regularisation(const TransformSpec& spec, double otherwise) {
  if (spec.family == "blocks") return recipe_regularisation(spec.recipe);
  if (spec.family == "rows") return kRowsRegularisation;
  return spec.family == default_transform().family ? kDefaultRegularisation : otherwise;
}

Result<std::shared_ptr<const Embedder>> make_embedder(FeatureMap features, const TransformSpec& spec) {
  UNSCATTER_TRY(made, make_transform(spec));
  std::shared_ptr<const Transform> transform = std::move(made);
  UNSCATTER_TRY(bound, transform->bound_to(features.describe()));
  if (bound != nullptr) transform = std::move(bound);
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({std::move(features), std::move(transform)});
  return std::make_shared<const Embedder>(std::move(blocks), spec.row_norm, spec.symmetrise,
                                          std::make_shared<const TransformSpec>(spec));
}

Result<std::shared_ptr<const Embedder>> make_embedder(std::string_view features, const TransformSpec& spec,
                                                      const Dataset& dataset, const FitSource& source) {
  if (!spec.symmetrise) {
    UNSCATTER_TRY(map, FeatureMap::resolve(features, dataset, source));
    return make_embedder(std::move(map), spec);
  }
  // What is fitted, such as the largest degree, belongs to the graphs that the features will see.
  Dataset seen = undirected_copy(dataset);
  Dataset open;
  FitSource seen_source = source;
  if (source.public_data != nullptr) {
    open = undirected_copy(*source.public_data);
    seen_source.public_data = &open;
  }
  Result<FeatureMap> map = FeatureMap::resolve(features, seen, seen_source);
  for (Graph& graph : seen.graphs) graph.wipe();
  if (!map.ok()) return std::move(map).error();
  return make_embedder(std::move(map).value(), spec);
}

std::string recipe_parts(const TransformSpec& spec, std::string_view features) {
  const Result<Recipe> recipe = resolve_recipe(spec.recipe, form_in(features));
  return recipe.ok() ? write_recipe(*recipe) : spec.recipe;
}

RecipeSight recipe_sight(const TransformSpec& spec, std::string_view features) {
  RecipeSight all;
  if (spec.family != "blocks") return all;
  const Result<Recipe> recipe = resolve_recipe(spec.recipe, form_in(features));
  if (!recipe.ok()) return all;
  for (const RecipePart& part : recipe->parts) {
    const PartNeeds& needs = part.kind->needs;
    all.directed = all.directed || needs.directed;
    all.weights = all.weights || needs.weights;
    all.labels = all.labels || needs.labels;
    all.attributes = all.attributes || needs.attributes;
    all.positions = all.positions || needs.positions;
  }
  return all;
}

}  // namespace unscatter
