// Solves with H = Z^T diag(curvature) Z + ridge I, in the cheaper one of two forms.
//
//   primal, d x d    Cholesky of H itself
//   dual,   n x n    H^-1 r = (r - Z^T s o M^-1 (s o Z r)) / ridge,   s = sqrt(curvature),
//                    M = ridge I + diag(s) G diag(s),  G = Z Z^T           (Woodbury)
//
// The dual form never sees a d x d matrix.  For 100 rows of 8568 columns it takes 10^6 operations instead of 10^11.
#pragma once

#include <cstddef>
#include <utility>

#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class RegularisedHessian {
 public:
  // curvature >= 0, one per row of Z.  Errors: kNotConverged if the matrix is not positive definite at working
  // precision.  A ridge > 0 excludes that unless it is tiny beside |Z|^2.
  [[nodiscard]] static Result<RegularisedHessian> primal(const SparseBlockRows& Z, const Vector& curvature,
                                                         double ridge);
  // ridge > 0; `gram` = Z Z^T.  Keeps a pointer to Z, which must outlive the result.
  [[nodiscard]] static Result<RegularisedHessian> dual(const SparseBlockRows& Z, const Matrix& gram,
                                                       const Vector& curvature, double ridge);

  // H^-1 right_side.
  [[nodiscard]] Vector solve(const Vector& right_side) const;
  // The lower Cholesky factor of H or of M, for nearby_solve.h.
  [[nodiscard]] Matrix take_factor() && { return std::move(factor_); }

 private:
  RegularisedHessian() = default;

  Matrix factor_;  // lower triangle: Cholesky factor of H or of M
  const SparseBlockRows* rows_ = nullptr;
  Vector root_curvature_;
  double ridge_ = 0;
};

}  // namespace unscatter
