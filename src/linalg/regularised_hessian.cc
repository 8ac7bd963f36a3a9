#include "linalg/regularised_hessian.h"

#include <cmath>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

const char* const kIndefinite =
    "the Hessian is not positive definite at working precision: the regularisation is too small for these embeddings";

// Factorises A in place.  A is a sum of `terms` positive semidefinite matrices and of `ridge` I.
//
// Forming A moves its eigenvalues by up to gamma tr(A), and factorising it does so once more.  A ridge above that
// leaves a positive definite matrix.  A smaller ridge proves nothing: the factor of a singular matrix may consist of
// rounding errors and look like any other.  In that case A less the envelope must have a factor too [Rump06].
bool factorise(Matrix& A, std::size_t terms, double ridge) {
  const double envelope =
      2 * rounding_factor(static_cast<double>(terms) + static_cast<double>(A.rows()) + 4) * A.trace();
  if (!(ridge > envelope)) {
    Matrix less = A;
    less.diagonal().array() -= envelope;
    if (!cholesky_in_place(less)) return false;
  }
  return cholesky_in_place(A);
}

}  // namespace

Result<RegularisedHessian> RegularisedHessian::primal(const SparseBlockRows& Z, const Vector& curvature, double ridge) {
  RegularisedHessian result;
  result.ridge_ = ridge;
  result.factor_ = weighted_square(Z, curvature);
  result.factor_.diagonal().array() += ridge;
  if (!factorise(result.factor_, Z.total_rows(), ridge)) return Error{ErrorCode::kNotConverged, kIndefinite};
  return result;
}

Result<RegularisedHessian> RegularisedHessian::dual(const SparseBlockRows& Z, const Matrix& gram,
                                                    const Vector& curvature, double ridge) {
  invariant(ridge > 0, "the dual form divides by the ridge");
  RegularisedHessian result;
  result.ridge_ = ridge;
  result.rows_ = &Z;
  result.root_curvature_ = curvature.cwiseSqrt();
  result.factor_ = result.root_curvature_.asDiagonal() * gram * result.root_curvature_.asDiagonal();
  result.factor_.diagonal().array() += ridge;
  if (!factorise(result.factor_, Z.columns(), ridge)) return Error{ErrorCode::kNotConverged, kIndefinite};
  return result;
}

Vector RegularisedHessian::solve(const Vector& right_side) const {
  Vector x = right_side;
  if (rows_ == nullptr) {
    cholesky_solve_in_place(factor_, x);
    return x;
  }
  // The dual formula of the header, from the inside out.
  Vector inner = product(*rows_, right_side).col(0).cwiseProduct(root_curvature_);
  cholesky_solve_in_place(factor_, inner);
  inner.array() *= root_curvature_.array();
  x -= transposed_product(*rows_, inner);
  return x / ridge_;
}

}  // namespace unscatter
