// Anderson's acceleration of a fixed-point iteration x <- x + f(x) [Walker11].
#pragma once

#include <cstddef>
#include <vector>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// Combines the last few points.  If f were linear, the combined step would leave the smallest remainder.  Plain steps
// gain the same factor each time.  These gain more and more.
class AndersonMixing {
 public:
  // The point after x, where the plain iteration would step by f.
  [[nodiscard]] Vector next(const Vector& x, const Vector& f);

 private:
  static constexpr std::size_t kDepth = 5;

  Vector last_x_, last_f_;
  std::vector<Vector> moves_;    // differences of points, oldest first
  std::vector<Vector> changes_;  // differences of the steps f there
};

}  // namespace unscatter
