// Newton steps that keep no matrix: conjugate gradients whose products with a Hessian are passes over the rows.
//
// A product H_k x = Z^T D_k (Z x) + ridge x costs as much as an evaluation, for all classes side by side.  Kept weights
// are near the optimum of the edited rows, so a dozen of them are enough as a rule.  An inverse costs hundreds.  So
// this is the way for a process that makes one update, and for an update that edits so many rows that inverses would
// have to be built anew.  Nothing rests on the systems being solved: a descent ends at a gradient that was evaluated.
#pragma once

#include <cstddef>
#include <optional>

#include "learn/descent.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

struct RowDescent {
  Descent descent;
  std::size_t passes = 0;  // over the rows, the evaluations included
};

// From `start`, where the gradient is about `gradient`.  Nothing if the goal is not reached within `most_passes`.
// ridge > 0.
[[nodiscard]] std::optional<RowDescent> descend_by_rows(const Objective& objective, const Matrix& start,
                                                        const Matrix& gradient, const DescentGoal& goal,
                                                        std::size_t most_passes);

}  // namespace unscatter
