#include "linalg/symmetric_eigen.h"

#include <Eigen/Eigenvalues>

namespace unscatter {

void fix_signs(Matrix& V) {
  for (Eigen::Index k = 0; k < V.cols(); ++k) {
    const double largest = V.col(k).cwiseAbs().maxCoeff();
    Eigen::Index pivot = 0;
    // Two entries of a path graph's eigenvector have equal magnitude.  Rounding must not decide which of them is the
    // largest, so the first one that is nearly as large as the largest one counts.
    while (std::abs(V(pivot, k)) < largest * (1 - 1e-9)) ++pivot;
    if (V(pivot, k) < 0) V.col(k) = -V.col(k);
  }
}

Result<SymmetricEigen> symmetric_eigen(const Matrix& A) {
  if (A.rows() != A.cols()) return Error{ErrorCode::kInvalidArgument, "an eigendecomposition needs a square matrix"};
  if (!A.allFinite()) return Error{ErrorCode::kInvalidArgument, "an eigendecomposition needs finite entries"};
  if (A.rows() == 0) return SymmetricEigen{};
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success) {
    return Error{ErrorCode::kNotConverged, "the symmetric eigensolver did not converge"};
  }
  SymmetricEigen result{solver.eigenvalues(), solver.eigenvectors()};
  fix_signs(result.vectors);
  return result;
}

}  // namespace unscatter
