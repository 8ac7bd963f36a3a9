// Backtracking along one class's step [Nocedal06, Alg. 3.1].
//
// A trial step costs O(n), not O(n d), because along w + t v the margins are margins + t s o Z v.  Objective::change()
// compares values without cancellation.  So the search works down to the last digits of the gradient.
#pragma once

#include <cstddef>

#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// The step length, or 0 if no step makes the value smaller.  `slope` = gradient.step < 0.
[[nodiscard]] inline double line_search(const Objective& objective, std::size_t label, const Vector& margins,
                                        const Vector& signed_products, const Vector& weights, const Vector& step,
                                        double slope) {
  constexpr double kSufficientDecrease = 1e-4;
  constexpr double kSmallestStep = 0x1p-60;
  for (double t = 1; t >= kSmallestStep; t /= 2) {
    if (objective.change(label, margins, signed_products, weights, step, t) <= kSufficientDecrease * t * slope)
      return t;
  }
  return 0;
}

}  // namespace unscatter
