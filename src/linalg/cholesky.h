// Cholesky factors in place, and solves with them.  This keeps Eigen's header of decompositions out of other sources.
#pragma once

#include "unscatter/linalg/dense.h"

namespace unscatter {

// Replaces the lower triangle of the symmetric A by its factor L with A = L L^T.  The strict upper triangle is left as
// it is.  False if A is not positive definite at working precision; A is then spoilt.
[[nodiscard]] bool cholesky_in_place(Matrix& A);

// (L L^T)^-1 x in place, column by column.
void cholesky_solve_in_place(const Matrix& L, Vector& x);
void cholesky_solve_in_place(const Matrix& L, Matrix& x);

}  // namespace unscatter
