// Cholesky factors in place, and what can be done with them.  Keeps Eigen's decomposition header in one source.
#pragma once

#include "unscatter/linalg/dense.h"

namespace unscatter {

// Replaces the lower triangle of the symmetric A by its factor L, A = L L^T; the strict upper triangle is left as it
// is. False if A is not positive definite at working precision; A is then spoilt.
[[nodiscard]] bool cholesky_in_place(Matrix& A);

// (L L^T)^-1 x in place.
void cholesky_solve_in_place(const Matrix& L, Vector& x);

}  // namespace unscatter
