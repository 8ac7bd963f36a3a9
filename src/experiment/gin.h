// The graph isomorphism network, the baseline of the paper [Xu19; Pan23, Sec. 5].  It is optional, since it needs
// libtorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// The choices of [Pan23, App.  "Additional Experimental Details"].  The batch size is that of its public program.
struct GinOptions {
  std::size_t layers = 2;
  std::size_t hidden = 64;
  double learning_rate = 1e-4;  // of Adam
  std::size_t epochs = 500;
  std::size_t batch = 128;
  std::uint64_t seed = 0;  // initial weights and the order of graphs
  // The two coordinates of a node as further features of it.  The paper's GIN has none.
  bool positions = false;
};

struct GinResult {
  std::vector<std::uint32_t> predictions;  // one per graph of `test`, in that order
  double train_seconds = 0;                // evaluation excluded
  double predict_seconds = 0;
  std::size_t epochs = 0;  // that were run
};

// Whether this build can train one.
[[nodiscard]] bool gin_available();

// Trains on the graphs `train` of `dataset` and classifies the graphs `test`, whose labels it does not use.  Errors:
// kUnavailable in a build without libtorch; kInvalidArgument (no graph to train on, an option that is zero);
// kUnsupported where the data lack what the features need.
[[nodiscard]] Result<GinResult> train_gin(const Dataset& dataset, std::span<const std::size_t> train,
                                          std::span<const std::size_t> test, const GinOptions& options);

}  // namespace unscatter
