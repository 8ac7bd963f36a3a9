#include "linalg/cholesky.h"

#include <Eigen/Cholesky>

namespace unscatter {

bool cholesky_in_place(Matrix& A) {
  const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factor(A);
  // Eigen stops at a pivot <= 0, which a NaN is not.  Any NaN or infinity below the diagonal reaches the diagonal of its row.
  return factor.info() == Eigen::Success && A.diagonal().allFinite();
}

void cholesky_solve_in_place(const Matrix& L, Vector& x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

}  // namespace unscatter
