// The usual embedder: one block, named in words.
#pragma once

#include <memory>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// Features as FeatureMap::resolve() reads them, with constants taken from `dataset` where the text leaves them out,
// under the transform of `spec`.  Errors: those of the two.
[[nodiscard]] Result<std::shared_ptr<const Embedder>> make_embedder(std::string_view features,
                                                                    const TransformSpec& spec, const Dataset& dataset);

}  // namespace unscatter
