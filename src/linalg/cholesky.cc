#include "linalg/cholesky.h"

#include "linalg/kernels.h"

namespace unscatter {

bool cholesky_in_place(Matrix& A) {
  const bool positive = kernel::kernels().cholesky(A.data(), A.rows());
  // Eigen stops at a pivot <= 0.  NaN is not <= 0, so a factor of NaNs would count as a success.  Any NaN or infinity
  // below the diagonal reaches the diagonal of its row.
  return positive && A.diagonal().allFinite();
}

void cholesky_solve_in_place(const Matrix& L, Vector& x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

void cholesky_solve_in_place(const Matrix& L, Matrix& x) {
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    Vector column = x.col(c);
    cholesky_solve_in_place(L, column);
    x.col(c) = column;
  }
}

}  // namespace unscatter
