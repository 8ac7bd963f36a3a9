#include "unscatter/embedding/make_embedder.h"

#include <utility>
#include <vector>

namespace unscatter {

Result<std::shared_ptr<const Embedder>> make_embedder(std::string_view features, const TransformSpec& spec,
                                                      const Dataset& dataset) {
  UNSCATTER_TRY(map, FeatureMap::resolve(features, dataset));
  UNSCATTER_TRY(transform, make_transform(spec));
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({std::move(map), std::move(transform)});
  return std::make_shared<const Embedder>(std::move(blocks));
}

}  // namespace unscatter
