#include "unscatter/embedding/make_embedder.h"

#include <utility>
#include <vector>

namespace unscatter {

Result<std::shared_ptr<const Embedder>> make_embedder(FeatureMap features, const TransformSpec& spec) {
  UNSCATTER_TRY(transform, make_transform(spec));
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({std::move(features), std::move(transform)});
  return std::make_shared<const Embedder>(std::move(blocks), spec.row_norm);
}

Result<std::shared_ptr<const Embedder>> make_embedder(std::string_view features, const TransformSpec& spec,
                                                      const Dataset& dataset, const FitSource& source) {
  UNSCATTER_TRY(map, FeatureMap::resolve(features, dataset, source));
  return make_embedder(std::move(map), spec);
}

}  // namespace unscatter
