// Noise for tests that need no session.  It protects nobody.
#pragma once

#include <cmath>
#include <numbers>

#include "unscatter/base/random.h"
#include "unscatter/linalg/dense.h"

namespace unscatter::testing {

// Independent standard normal numbers, by Box and Muller.
[[nodiscard]] inline Matrix normal_matrix(Sequence& random, Eigen::Index rows, Eigen::Index columns) {
  Matrix matrix(rows, columns);
  for (double& value : matrix.reshaped()) {
    value = std::sqrt(-2 * std::log1p(-random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
  }
  return matrix;
}

}  // namespace unscatter::testing
