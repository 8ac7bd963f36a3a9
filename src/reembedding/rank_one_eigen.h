// The eigendecomposition of a symmetric matrix after a symmetric rank-one modification, from the one before it.
#pragma once

#include "linalg/symmetric_eigen.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// A + rho x x^T = V' diag(d') V'^T from A = V diag(d) V^T, for rho of either sign.
//
// With z = V^T x the task is diag(d) + rho z z^T, whose eigenvalues are the roots of the secular equation
//
//   1 + rho sum_i z_i^2 / (d_i - lambda) = 0          [Golub13, Sec. 8.4.3]
//
// There is one root between each two neighbours of d.  The eigenvectors are (diag(d) - lambda)^-1 z.  Components that
// cannot matter at working precision are split off first (deflation).  Then z is recomputed from the roots, so that the
// vectors are orthogonal to working precision, whatever the spectrum looks like [GuEisenstat94].
//
// `eigen` is as symmetric_eigen returns it (values ascending, vectors orthonormal), and so is the result, signs
// included.  Both the residual |A' - V' diag(d') V'^T| and the loss of orthogonality grow by a small multiple of
// n * 1e-16 (times |A'|) per call.  Cost: about four sweeps of k divisions for each of k roots, and 2 n k^2 flops +
// O(n^2) for V', with k = n less what deflates.  Errors: kInvalidArgument (sizes that do not fit, numbers that are not
// finite).
[[nodiscard]] Result<SymmetricEigen> rank_one_eigen(const SymmetricEigen& eigen, double rho, const Vector& x);

}  // namespace unscatter
