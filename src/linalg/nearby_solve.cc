#include "unscatter/linalg/nearby_solve.h"

#include <cmath>
#include <utility>

#include "linalg/cholesky.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

constexpr double kRelativeResidual = 1e-13;
constexpr std::size_t kMostIterations = 20;

// Preconditioned conjugate gradients [Golub13, Sec. 11.5.2].  `apply(x)` is A x; `factor` is L with L L^T near A.
template <typename Apply>
std::optional<NearbySolution> conjugate_gradients(const Matrix& factor, Apply apply, const Vector& right_side) {
  NearbySolution solution{Vector::Zero(right_side.size()), 0};
  Vector residual = right_side;
  const double target = kRelativeResidual * right_side.norm();
  if (target == 0) return solution;
  Vector direction;
  double product_before = 1;
  while (!(residual.norm() <= target)) {
    if (solution.iterations == kMostIterations) return std::nullopt;
    Vector preconditioned = residual;
    cholesky_solve_in_place(factor, preconditioned);
    const double product = residual.dot(preconditioned);
    if (solution.iterations == 0) {
      direction = std::move(preconditioned);
    } else {
      direction = preconditioned + (product / product_before) * direction;
    }
    const Vector image = apply(direction);
    const double curvature = direction.dot(image);
    if (!(curvature > 0) || !std::isfinite(product)) return std::nullopt;
    const double length = product / curvature;
    solution.x += length * direction;
    residual -= length * image;
    product_before = product;
    ++solution.iterations;
  }
  return solution;
}

}  // namespace

std::optional<NearbySolution> nearby_primal_solve(const Matrix& factor, const SparseBlockRows& Z, const Vector& curvature,
                                                  double ridge, const Vector& right_side) {
  const auto apply = [&](const Vector& x) -> Vector {
    const Matrix weighted = product(Z, x).cwiseProduct(curvature);
    return transposed_product(Z, weighted) + ridge * x;
  };
  return conjugate_gradients(factor, apply, right_side);
}

std::optional<NearbySolution> nearby_dual_solve(const Matrix& factor, const SparseBlockRows& Z, const Matrix& gram,
                                                const Vector& curvature, double ridge, const Vector& right_side) {
  const Vector root = curvature.cwiseSqrt();
  const auto apply = [&](const Vector& x) -> Vector {
    const Vector scaled = root.cwiseProduct(x);
    Vector image = gram.selfadjointView<Eigen::Lower>() * scaled;
    image.array() *= root.array();
    return image + ridge * x;
  };
  const Vector inner_side = product(Z, right_side).col(0).cwiseProduct(root);
  std::optional<NearbySolution> solution = conjugate_gradients(factor, apply, inner_side);
  if (!solution) return std::nullopt;
  const Vector inner = solution->x.cwiseProduct(root);
  solution->x = (right_side - transposed_product(Z, inner).col(0)) / ridge;
  return solution;
}

}  // namespace unscatter
