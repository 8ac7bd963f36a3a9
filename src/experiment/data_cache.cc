#include "experiment/data_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "embedding/blocks/recipe.h"
#include "experiment/frozen_degrees.h"
#include "linalg/row_products.h"
#include "unscatter/embedding/fourier.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"

namespace unscatter::experiment {
namespace {

namespace fs = std::filesystem;

// From this largest degree on, the paper's public program takes one standardised degree instead of a one-hot vector.
constexpr std::size_t kMostDegreeChannels = 1000;

std::optional<fs::path> first_array_file(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> arrays;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (at->path().extension() == ".npz") arrays.push_back(at->path());
  }
  if (arrays.empty()) return std::nullopt;
  // The first by name.  The order of the file system would differ between machines.
  return *std::min_element(arrays.begin(), arrays.end());
}

std::size_t largest_degree(const Dataset& dataset) {
  std::size_t largest = 0;
  for (const Graph& graph : dataset.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) largest = std::max(largest, graph.degree(i));
  }
  return largest;
}

// The Fourier backbone as in the paper's public program, whose eigensolver chooses the signs.
Result<std::shared_ptr<const Embedder>> make_arbitrary_fourier(const std::string& features, const Dataset& dataset) {
  UNSCATTER_TRY(map, FeatureMap::resolve(features, dataset, FitSource::once()));
  UNSCATTER_TRY(transform, make_fourier({.moments = 1, .signs = EigenvectorSigns::kArbitrary}));
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({std::move(map), std::move(transform)});
  return std::make_shared<const Embedder>(std::move(blocks));
}

}  // namespace

Result<fs::path> find_data_set(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* pattern : {"{0}_gin.zip", "{0}.zip"}) {
    const fs::path path = folder / name / fmt::format(fmt::runtime(pattern), name);
    if (fs::is_regular_file(path, ignored)) return path;
  }
  if (auto arrays = first_array_file(folder / name)) return *std::move(arrays);
  const fs::path lines = folder / name / fmt::format("{}.jsonl", name);
  if (fs::is_regular_file(lines, ignored)) return lines;
  return Error{ErrorCode::kNotFound,
               fmt::format("no data set {0} in '{1}': expected {0}/{0}.zip, {0}/*.npz or {0}/{0}.jsonl there", name,
                           folder.string())};
}

TransformSpec transform_of(const std::string& backbone, const HyperParameters& parameters) {
  if (backbone == "default") return default_transform();
  TransformSpec spec;
  // The paper's appendix has the column operator.  Its program computes this one (docs/reproduction.md, "Table 1").
  spec.op = WalkOperator::kRow;
  spec.scales = parameters.scales;
  spec.moments = parameters.moments;
  spec.layers = parameters.layers;
  spec.linear = backbone == "linear-gst";
  spec.row_norm = RowNorm::kNone;  // as in the paper
  if (backbone == "gft") {
    spec.family = "gft";
    spec.moments = 1;  // the mean of the Fourier coefficients, as in the public program
  }
  return spec;
}

Result<std::unique_ptr<DataCache>> DataCache::open(const fs::path& folder, const std::string& name,
                                                   std::size_t threads) {
  UNSCATTER_TRY(path, find_data_set(folder, name));
  UNSCATTER_TRY(dataset,
                read_dataset(path, {.limits = {}, .symmetrise = false, .threads = threads, .progress = nullptr}));
  std::unique_ptr<DataCache> cache(new DataCache);
  cache->name_ = name;
  cache->threads_ = threads;
  cache->plain_ = std::move(dataset);
  cache->only_degrees_ = has_only_degrees(cache->plain_);
  cache->directed_ = std::any_of(cache->plain_.graphs.begin(), cache->plain_.graphs.end(),
                                 [](const Graph& graph) { return graph.directed(); });
  // Recorded in every cell, so that numbers from other data can be told apart.
  cache->digest_ = content_digest(cache->plain_).hex();
  if (cache->only_degrees_ && largest_degree(cache->plain_) >= kMostDegreeChannels)
    cache->features_ = "constant+log-degree";
  return cache;
}

CellForm DataCache::effective(CellForm form) const {
  // Features that are in the data do not change when a neighbour goes.  Only derived degrees do.
  if (form == CellForm::kFrozenDegrees && (!only_degrees_ || features_ != "paper")) return CellForm::kPlain;
  if (form == CellForm::kSymmetrised && !directed_) return CellForm::kPlain;
  return form;
}

const Dataset& DataCache::dataset_locked(CellForm form) {
  switch (form) {
    case CellForm::kPlain: break;
    case CellForm::kFrozenDegrees:
      if (!frozen_) frozen_ = with_frozen_degrees(plain_);
      return *frozen_;
    case CellForm::kSymmetrised:
      if (!symmetrised_) {
        symmetrised_ = plain_;
        for (Graph& graph : symmetrised_->graphs) graph = symmetrised(graph);
      }
      return *symmetrised_;
  }
  return plain_;
}

const Dataset& DataCache::dataset(CellForm form) {
  const std::lock_guard lock(mutex_);
  return dataset_locked(effective(form));
}

Result<const EmbeddedData*> DataCache::embedded(const std::string& backbone, const HyperParameters& parameters,
                                                CellForm form) {
  const CellForm used = effective(form);
  // lambda is not part of the key: an embedding does not depend on it.
  const std::string key = fmt::format("{} {} {} {} {}", backbone, parameters.scales, parameters.moments,
                                      parameters.layers, static_cast<int>(used));
  const std::lock_guard lock(mutex_);
  // The lock is held while graphs are embedded.  A second cell that needs the same waits, instead of doing the work
  // twice.
  std::unique_ptr<EmbeddedData>& entry = embedded_[key];
  if (entry == nullptr) {
    auto data = std::make_unique<EmbeddedData>();
    data->dataset = &dataset_locked(used);
    UNSCATTER_TRY(embedder, backbone == "gft-signs"
                                ? make_arbitrary_fourier(features_, *data->dataset)
                                : make_embedder(backbone == "default" ? kDefaultFeatures : features_,
                                                transform_of(backbone, parameters), *data->dataset, FitSource::once()));
    data->embedder = std::move(embedder);
    // The time is kept with the rows.  Cells that share the rows report the same time to embed.
    const Stopwatch watch;
    UNSCATTER_TRY(rows, data->embedder->embed(*data->dataset, {.threads = threads_, .progress = nullptr}));
    data->seconds = watch.seconds();
    data->rows = std::move(rows);
    entry = std::move(data);
  }
  return static_cast<const EmbeddedData*>(entry.get());
}

Result<const EmbeddedData*> DataCache::embedded(const std::string& recipe) {
  const std::lock_guard lock(mutex_);
  // No backbone has this word in its name.
  std::unique_ptr<EmbeddedData>& entry = embedded_["recipe " + recipe];
  if (entry == nullptr) {
    auto data = std::make_unique<EmbeddedData>();
    data->dataset = &plain_;
    TransformSpec spec;
    spec.family = "blocks";
    spec.recipe = recipe;
    UNSCATTER_TRY(embedder, make_embedder(recipe_features(recipe), spec, plain_));
    data->embedder = std::move(embedder);
    UNSCATTER_TRY(parts, parse_recipe(recipe_parts(spec, data->embedder->blocks().front().features.describe())));
    data->longest_row = parts.scale;
    const Stopwatch watch;
    UNSCATTER_TRY(rows, data->embedder->embed(plain_, {.threads = threads_, .progress = nullptr}));
    data->seconds = watch.seconds();
    data->rows = std::move(rows);
    entry = std::move(data);
  }
  return static_cast<const EmbeddedData*>(entry.get());
}

double accuracy_percent(const EmbeddedData& data, std::span<const std::size_t> chosen, const Matrix& weights,
                        std::size_t threads) {
  if (chosen.empty()) return 0;
  // All rows in one product, and then the chosen ones: one pass is faster than many single products.
  const Matrix scores = product(data.rows, weights, threads);
  std::size_t right = 0;
  for (const std::size_t i : chosen) {
    Eigen::Index best = 0;
    scores.row(static_cast<Eigen::Index>(i)).maxCoeff(&best);
    if (static_cast<std::size_t>(best) == data.dataset->labels[i]) ++right;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(chosen.size());
}

}  // namespace unscatter::experiment
