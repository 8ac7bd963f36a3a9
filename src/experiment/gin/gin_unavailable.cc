// Takes the place of the network in builds without libtorch.
#include "experiment/gin.h"

namespace unscatter {

bool gin_available() { return false; }

Result<GinResult> train_gin(const Dataset& /*dataset*/, std::span<const std::size_t> /*train*/,
                            std::span<const std::size_t> /*test*/, const GinOptions& /*options*/) {
  return Error{ErrorCode::kUnavailable,
               "GIN is not part of this build: install libtorch-dev and configure with -DUNSCATTER_GIN=ON"};
}

}  // namespace unscatter
