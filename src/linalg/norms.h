// Norms that err on a known side.  A certificate that rests on an estimate from below, such as power iteration, is
// void.  So everything here is an upper bound that holds in floating point too.
#pragma once

#include <cstddef>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// At least |A|_F = sqrt(sum a_ij^2), and at most a few units in the last place above it.
[[nodiscard]] double frobenius_norm_upper_bound(const Matrix& A);

// At least |A|_2, the largest singular value.  It is the smaller of two numbers:
// * the Frobenius bound;
// * sqrt(lambda_max(G)) for the smaller Gram matrix G (A^T A or A A^T).  A dense symmetric eigensolver gives
//   lambda_max.  A rounding envelope, stated in advance, covers forming G and the solver.  Cost O(m n min(m, n) +
//   min(m, n)^3).
[[nodiscard]] double spectral_norm_upper_bound(const Matrix& A);

// At least the largest eigenvalue of the symmetric positive semidefinite G, and usually less than 0.2 % above it.
//
// Power iteration proposes a value t from below.  The Cholesky factorisation of t (1 + slack) I - G then proves that no
// eigenvalue lies above, up to a rounding envelope [Rump06].  A proposal that fails is raised.  If all fail, the result
// is the largest absolute row sum, which needs no proof.  Cost about n^3/3, a tenth of an eigensolver.
[[nodiscard]] double largest_eigenvalue_upper_bound(const Matrix& G);

// At least |Z|_2 for any Z whose computed Gram matrix is G.  G is Z Z^T or Z^T Z, with entries that are sums of
// `summed` products.
[[nodiscard]] double spectral_norm_upper_bound_from_gram(const Matrix& G, std::size_t summed);
// The same for a G from which terms were subtracted again.  `magnitude` is at least the sum of |z|^2 over everything
// that was added or subtracted.  `summed` is at least the number of roundings that any of it went through.
[[nodiscard]] double spectral_norm_upper_bound_from_gram(const Matrix& G, std::size_t summed, double magnitude);

}  // namespace unscatter
