// Anderson's acceleration of a fixed-point iteration x <- x + f(x) [Walker11].
#pragma once

#include <cstddef>
#include <vector>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// Combines the last few points so that, were f linear, the combined step would leave the smallest remainder: where
// plain steps gain the same factor each time, these gain more and more.
class AndersonMixing {
 public:
  // The point after x, where the plain iteration would step by f.
  [[nodiscard]] Vector next(const Vector& x, const Vector& f);

 private:
  static constexpr std::size_t kDepth = 5;

  Vector last_x_, last_f_;
  std::vector<Vector> moves_;    // differences of points ...
  std::vector<Vector> changes_;  // ... and of the steps there, oldest first
};

}  // namespace unscatter
