// Norms that err on a known side.  A certificate that rests on an estimate from below (power iteration, for instance)
// is void, so everything here is an upper bound that holds in floating point too.
#pragma once

#include <cstddef>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// At least |A|_F = sqrt(sum a_ij^2), and at most a few units in the last place above it.
[[nodiscard]] double frobenius_norm_upper_bound(const Matrix& A);

// At least |A|_2, the largest singular value: the smaller of
//   * the Frobenius bound and
//   * sqrt(lambda_max(G)) for the smaller Gram matrix G (A^T A or A A^T), with lambda_max from a dense symmetric
//   eigensolver
//     plus an a-priori rounding envelope for forming G and for the solver.
// Cost O(m n min(m, n) + min(m, n)^3).
[[nodiscard]] double spectral_norm_upper_bound(const Matrix& A);

// At least the largest eigenvalue of the symmetric positive semidefinite G, and usually less than 0.2 % above it.
//
// Power iteration proposes a value t from below; the Cholesky factorisation of t (1 + slack) I - G then proves that no
// eigenvalue lies above, up to a rounding envelope [Rump06].  A proposal that fails is raised; at last the largest
// absolute row sum, which needs no proof, stands.  Cost about n^3/3, a tenth of an eigensolver.
[[nodiscard]] double largest_eigenvalue_upper_bound(const Matrix& G);

// At least |Z|_2 for any Z whose computed Gram matrix (Z Z^T or Z^T Z, sums of `summed` products each) is G.
[[nodiscard]] double spectral_norm_upper_bound_from_gram(const Matrix& G, std::size_t summed);
// The same for a G from which terms were subtracted again: `magnitude` >= the sum of |z|^2 over everything that was
// added or subtracted, `summed` >= the roundings that any of it went through.
[[nodiscard]] double spectral_norm_upper_bound_from_gram(const Matrix& G, std::size_t summed, double magnitude);

}  // namespace unscatter
