// A descent with kept inverses: where it ends, and when it gives up.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// Where a descent may end: each class within `each`, or all classes together within `joint`.
struct DescentGoal {
  double each = 0;   // |gradient| of every class
  double joint = 0;  // root of the sum of the squares over the classes

  // A gradient far below the goal has arrived even if its rounding has not: no step makes the rounding smaller.
  static constexpr double kFarBelow = 0.5;
  // Classes are left alone while together they use no more than this share of the joint goal.
  static constexpr double kLeftAlone = 0.6;

  // `norms` per class, and how far each may be off by rounding.
  [[nodiscard]] bool reached(const Vector& norms, const Vector& rounding) const {
    return norms.maxCoeff() <= each || (norms + rounding).norm() <= joint || norms.norm() <= kFarBelow * joint;
  }
  // The number that falls from step to step.
  [[nodiscard]] double measure(const Vector& norms) const { return joint > 0 ? norms.norm() : norms.maxCoeff(); }
  // The classes that have to go on, in ascending order: the largest ones.
  [[nodiscard]] std::vector<std::size_t> open_classes(const Vector& norms) const;
};

// The classes with the largest norms, in ascending order: as few as leave the others within `joint`, all together.  A
// pass over rows takes columns in groups (kernel::padded_columns), so as many classes join them as cost nothing.
[[nodiscard]] std::vector<std::size_t> largest_classes(const Vector& norms, double joint);

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
