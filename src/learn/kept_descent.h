// What the sources of KeptHessians share.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// All classes from the solved ones.
[[nodiscard]] inline Matrix with_mirrored(Matrix solved, std::size_t classes) {
  if (solved.cols() == static_cast<Eigen::Index>(classes)) return solved;
  Matrix all(solved.rows(), 2);
  all.col(0) = solved.col(0);
  all.col(1) = -solved.col(0);
  return all;
}

// Row and column i of ridge I + S G S.
[[nodiscard]] inline Vector dual_line(const Matrix& gram, const Vector& roots, Eigen::Index i, double ridge) {
  Vector line = roots(i) * gram.col(i).cwiseProduct(roots);
  line(i) += ridge;
  return line;
}

inline constexpr std::size_t kMostSteps = 25;
// Steps that leave more of the gradient than this are no progress; so many are waited for.
inline constexpr double kLeastProgress = 0.5;
inline constexpr std::size_t kMostIdleSteps = 4;

// Watches a descent: whether to go on, given the norms of the gradient so far.  Mixed steps may go up before they come
// down.
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
    return idle_ <= kMostIdleSteps && steps_ <= kMostSteps && std::isfinite(norm);
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  std::size_t idle_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace unscatter
