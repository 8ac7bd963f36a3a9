// Eigenvalues and singular values by dense methods, in higher precision than what is tested.  They are compiled once:
// Eigen's templates behind them take a compiler ten seconds.
#pragma once

#include "unscatter/linalg/dense.h"

namespace unscatter::testing {

using WideMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using WideVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

struct ExactSpectrum {
  WideVector values;   // ascending
  WideMatrix vectors;  // one column for each
};

// Of a symmetric matrix, of which the lower triangle is read.
[[nodiscard]] ExactSpectrum exact_spectrum(const Matrix& symmetric);
[[nodiscard]] WideVector exact_eigenvalues(const Matrix& symmetric);

// The root of the largest eigenvalue of A^T A.  Squares of the entries must neither overflow nor vanish.
[[nodiscard]] long double largest_singular_value(const Matrix& A);

}  // namespace unscatter::testing
