// Training on a split and looking at its test graphs, with noise on the published weights.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "experiment/cell.h"
#include "experiment/data_cache.h"
#include "experiment/task.h"
#include "unscatter/learn/loss.h"
#include "unscatter/linalg/dense.h"

namespace unscatter::experiment {

// The rows of some graphs, with labels.
struct SplitRows {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
};
[[nodiscard]] SplitRows rows_of_split(const EmbeddedData& data, std::span<const std::size_t> chosen);

// Where the noise of a cell comes from.
[[nodiscard]] std::unique_ptr<RandomSource> noise_source(const CellPlan& plan, const CellContext& context);

struct NoisyLook {
  double noise_stddev = 0;
  std::size_t vectors = 0;  // that have noise of their own: published_vectors()
  std::size_t draws = 10;
};
// {"accuracy": without noise, "noisy_accuracy": mean over the draws, "noisy_spread": their standard deviation,
// "expected_accuracy": over all draws there could be}, in %, on the chosen rows.
[[nodiscard]] Result<Json> look_at_published(const EmbeddedData& data, std::span<const std::size_t> chosen,
                                             const Matrix& weights, const NoisyLook& look, RandomSource& source,
                                             std::size_t threads);

}  // namespace unscatter::experiment
