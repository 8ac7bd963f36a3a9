// Norms that err on a known side.  A certificate that rests on an estimate from below (power iteration, for instance) is void,
// so everything here is an upper bound that holds in floating point too.
#pragma once

#include "unscatter/linalg/dense.h"

namespace unscatter {

// At least |A|_F = sqrt(sum a_ij^2), and at most a few units in the last place above it.
[[nodiscard]] double frobenius_norm_upper_bound(const Matrix& A);

// At least |A|_2, the largest singular value: the smaller of
//   * the Frobenius bound and
//   * sqrt(lambda_max(G)) for the smaller Gram matrix G (A^T A or A A^T), with lambda_max from a dense symmetric eigensolver
//   plus an
//     a-priori rounding envelope for forming G and for the solver.
// Cost O(m n min(m, n) + min(m, n)^3).
[[nodiscard]] double spectral_norm_upper_bound(const Matrix& A);

}  // namespace unscatter
