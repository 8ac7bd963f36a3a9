// A descent with kept inverses: where it ends, and when it gives up.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// Where a descent ended.
struct Descent {
  Matrix weights;
  Evaluation evaluation;  // at the weights
  std::size_t steps = 0;
};

// A descent or a solve that needs more steps than this is not worth its time: new inverses cost less.
inline constexpr std::size_t kMostDescentSteps = 25;

// Watches the norm of the gradient and says whether to go on.
//
// A step is progress if it leaves at most half of the smallest norm so far.  Mixed steps (anderson.h) may go up before
// they come down, so a few steps without progress are waited for.
class DescentWatch {
 public:
  [[nodiscard]] bool goes_on(double norm) {
    ++steps_;
    if (norm <= kLeastProgress * best_) {  // false for NaN
      best_ = norm;
      idle_ = 0;
    } else {
      ++idle_;
    }
    return idle_ <= kMostIdleSteps && steps_ <= kMostDescentSteps && std::isfinite(norm);
  }

 private:
  static constexpr double kLeastProgress = 0.5;
  // With two, removals on COLLAB gave up and paid for new inverses in vain (docs/performance.md, "Patience").
  static constexpr std::size_t kMostIdleSteps = 4;

  double best_ = std::numeric_limits<double>::infinity();
  std::size_t idle_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace unscatter
