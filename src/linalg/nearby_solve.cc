#include "linalg/nearby_solve.h"

#include <utility>

#include "linalg/cholesky.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/row_products.h"

namespace unscatter {
namespace {

constexpr double kRelativeResidual = 1e-13;
constexpr std::size_t kMostIterations = 20;

// `apply(x)` is A x; `factor` is L with L L^T near A.
template <typename Apply>
std::optional<NearbySolution> solve_nearby(const Matrix& factor, const Apply& apply, const Vector& right_side) {
  const auto precondition = [&factor](const Matrix& residual) {
    Vector x = residual.col(0);
    cholesky_solve_in_place(factor, x);
    return Matrix(x);
  };
  ConjugateGradients solved = conjugate_gradients(apply, precondition, right_side, kRelativeResidual, kMostIterations);
  if (!solved.converged) return std::nullopt;
  return NearbySolution{solved.x.col(0), solved.iterations};
}

}  // namespace

std::optional<NearbySolution> nearby_primal_solve(const Matrix& factor, const SparseBlockRows& Z,
                                                  const Vector& curvature, double ridge, const Vector& right_side) {
  const auto apply = [&](const Matrix& x) -> Matrix {
    const Matrix weighted = product(Z, x).cwiseProduct(curvature);
    return transposed_product(Z, weighted) + ridge * x;
  };
  return solve_nearby(factor, apply, right_side);
}

std::optional<NearbySolution> nearby_dual_solve(const Matrix& factor, const SparseBlockRows& Z, const Matrix& gram,
                                                const Vector& curvature, double ridge, const Vector& right_side) {
  const Vector root = curvature.cwiseSqrt();
  const auto apply = [&](const Matrix& x) -> Matrix {
    return root.cwiseProduct(symmetric_product(gram, root.cwiseProduct(x))) + ridge * x;
  };
  const Vector inner_side = product(Z, right_side).col(0).cwiseProduct(root);
  std::optional<NearbySolution> solution = solve_nearby(factor, apply, inner_side);
  if (!solution) return std::nullopt;
  const Vector inner = solution->x.cwiseProduct(root);
  solution->x = (right_side - transposed_product(Z, inner).col(0)) / ridge;
  return solution;
}

}  // namespace unscatter
