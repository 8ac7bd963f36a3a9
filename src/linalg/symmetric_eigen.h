// Eigendecomposition of a dense symmetric matrix, made deterministic.
#pragma once

#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// A = V diag(values) V^T, values ascending, columns of V orthonormal.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};

// Signs are fixed: the entry of largest magnitude in each eigenvector is positive, or the first one within 1e-9 of it.
// The basis inside the space of a repeated eigenvalue remains the algorithm's choice.  It is fixed for a fixed input.
// Reads the lower triangle only.  Errors: kInvalidArgument (not square, not finite), kNotConverged.
[[nodiscard]] Result<SymmetricEigen> symmetric_eigen(const Matrix& A);

// Applies the sign rule above to the columns of V, in place.
void fix_signs(Matrix& V);

}  // namespace unscatter
