// Preconditioned conjugate gradients [Golub13, Sec. 11.5.2] for one symmetric positive definite system per column.  All
// columns go side by side, so that one pass over the data of the matrices serves all of them.
#pragma once

#include <cmath>
#include <cstddef>

#include "unscatter/linalg/dense.h"

namespace unscatter {

struct ConjugateGradients {
  Matrix x;
  std::size_t iterations = 0;  // of the slowest column
  // True if every residual that the iteration carries along is small enough.  If not, x is still the best point of its
  // Krylov space.  For right sides -g it is a direction downhill.
  bool converged = false;
};

// apply(X) multiplies each column with its matrix. precondition(R) multiplies each column with about the inverse of its
// matrix.  A column has arrived where its residual is at most its `target`, and is then left alone.  Ends without
// convergence after `most_iterations`, or where a number is not positive or not finite that should be.
template <typename Apply, typename Precondition>
[[nodiscard]] ConjugateGradients conjugate_gradients(const Apply& apply, const Precondition& precondition,
                                                     const Matrix& right_sides, const Vector& target,
                                                     std::size_t most_iterations) {
  using Eigen::Index;
  ConjugateGradients result{Matrix::Zero(right_sides.rows(), right_sides.cols()), 0, false};
  Matrix residual = right_sides;
  Matrix direction;
  Vector product_before;
  while (true) {
    const Vector norms = residual.colwise().norm();
    result.converged = (norms.array() <= target.array()).all();
    if (result.converged || result.iterations == most_iterations || !norms.allFinite()) return result;
    const Matrix& preconditioned = precondition(residual);
    const Vector product = residual.cwiseProduct(preconditioned).colwise().sum();
    if (!product.allFinite()) return result;
    if (result.iterations == 0) {
      direction = preconditioned;
    } else {
      for (Index k = 0; k < direction.cols(); ++k) {
        // 0 / 0 for a right side of zeros, which has arrived from the start.
        const double share = product_before(k) > 0 ? product(k) / product_before(k) : 0;
        direction.col(k) = preconditioned.col(k) + share * direction.col(k);
      }
    }
    const Matrix image = apply(direction);
    for (Index k = 0; k < direction.cols(); ++k) {
      if (norms(k) <= target(k)) continue;
      const double curvature = direction.col(k).dot(image.col(k));
      if (!(curvature > 0) || !std::isfinite(curvature)) return result;
      result.x.col(k) += product(k) / curvature * direction.col(k);
      residual.col(k) -= product(k) / curvature * image.col(k);
    }
    product_before = product;
    ++result.iterations;
  }
}

// The same, where every residual has to fall below the same share of its right side.
template <typename Apply, typename Precondition>
[[nodiscard]] ConjugateGradients conjugate_gradients(const Apply& apply, const Precondition& precondition,
                                                     const Matrix& right_sides, double relative_residual,
                                                     std::size_t most_iterations) {
  const Vector target = relative_residual * right_sides.colwise().norm();
  return conjugate_gradients(apply, precondition, right_sides, target, most_iterations);
}

}  // namespace unscatter
