#include "linalg/nearby_solve.h"

#include <utility>

#include "linalg/cholesky.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/row_products.h"

namespace unscatter {
namespace {

// What a solve leaves over is charged to the certificate, so it has to be near rounding.
constexpr double kRelativeResidual = 1e-13;
// An edited row costs about two iterations (nearby_solve.h), so this serves about ten of them.  Where more are needed,
// a new factor pays soon.
constexpr std::size_t kMostIterations = 20;

// Solves A x = right_side.  `apply(x)` is A x; `factor` is L with L L^T near A.
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
    // Two passes over the stored values.  Forming H would cost O(n d^2).
    const Matrix weighted = product(Z, x).cwiseProduct(curvature);
    return transposed_product(Z, weighted) + ridge * x;
  };
  return solve_nearby(factor, apply, right_side);
}

std::optional<NearbySolution> nearby_dual_solve(const Matrix& factor, const SparseBlockRows& Z, const Matrix& gram,
                                                const Vector& curvature, double ridge, const Vector& right_side) {
  // H^-1 r by Woodbury's formula, as in regularised_hessian.h.  Conjugate gradients solve the inner n x n system.
  const Vector root = curvature.cwiseSqrt();
  const auto apply = [&](const Matrix& x) -> Matrix {
    // The matrix stays symmetric because the root stands on both sides; conjugate gradients need that.
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
