// Solves with H = Z^T diag(curvature) Z + ridge I by conjugate gradients.  The preconditioner is the factor of a
// Hessian from a little earlier.
//
// Editing m rows changes H by a matrix of rank 2m.  A short Newton step changes it by little more.  Preconditioned by
// the old factor, all but about 2m eigenvalues lie near 1, so conjugate gradients need about 2m steps.  A step costs
// O(n^2) in dual form and O(stored values + d^2) in primal form.  A new factor costs O(n^3) or O(n d^2).
#pragma once

#include <cstddef>
#include <optional>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// A solution and what it took.  Convergence is judged by the residual that the iteration carries along.  Rounding may
// let that residual drift from the true one, so a caller who needs a bound multiplies the solution out.
struct NearbySolution {
  Vector x;
  std::size_t iterations = 0;
};

// `factor` is the lower Cholesky factor of H (primal) or of M = ridge I + s o G o s with s = sqrt(curvature) (dual),
// for rows, curvature and ridge near the present ones.  Empty if the relative residual does not fall below 1e-13 within
// 20 iterations.
[[nodiscard]] std::optional<NearbySolution> nearby_primal_solve(const Matrix& factor, const SparseBlockRows& Z,
                                                                const Vector& curvature, double ridge,
                                                                const Vector& right_side);
// `gram` = Z Z^T of the present rows.
[[nodiscard]] std::optional<NearbySolution> nearby_dual_solve(const Matrix& factor, const SparseBlockRows& Z,
                                                              const Matrix& gram, const Vector& curvature, double ridge,
                                                              const Vector& right_side);

}  // namespace unscatter
