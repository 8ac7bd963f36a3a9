// Training that shares what is known about the Hessians with whoever trains.
#pragma once

#include <cstddef>
#include <optional>

#include "learn/curvature.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/train.h"

namespace unscatter {

// train() from `start` with the caller's `curvature`.  Training uses the inverses that it has, and leaves there those
// that it makes.  options.form is not looked at, because `curvature` has a form.
[[nodiscard]] Result<TrainedWeights> train_with_curvature(const Objective& objective, const Matrix& start,
                                                          const TrainOptions& options, Curvature& curvature);

// Of the rows that this process has.
[[nodiscard]] bool rows_are_zero(const SparseBlockRows& rows);

// The minimum where every row is zero and there is a ridge: -b / ridge, or zero.  train() refuses such rows, because
// who begins with them has made a mistake.  Removals may leave nothing else.
[[nodiscard]] std::optional<Matrix> minimum_of_zero_rows(const Objective& objective);

// Newton with exact systems and a line search, from `start`, until no class has a gradient above `tolerance`.
// Arguments are not checked.
[[nodiscard]] Result<TrainedWeights> newton_descent(const Objective& objective, const Matrix& start, double tolerance,
                                                    std::size_t max_iterations, Curvature& curvature,
                                                    Progress* progress = nullptr);

}  // namespace unscatter
