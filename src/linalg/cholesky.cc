#include "linalg/cholesky.h"

#include <Eigen/Cholesky>

namespace unscatter {

bool cholesky_in_place(Matrix& A) {
  const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factor(A);
  return factor.info() == Eigen::Success;
}

void cholesky_solve_in_place(const Matrix& L, Vector& x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

}  // namespace unscatter
