// Roots of the secular equation, each held as an offset from its nearest pole.
#pragma once

#include "unscatter/linalg/dense.h"

namespace unscatter {

struct SecularRoots {
  Vector values;  // lambda_1 < ... < lambda_k, rounded
  // gaps(j, i) = d_j - lambda_i, to high RELATIVE accuracy.  The difference of the rounded numbers would have none
  // where a root sits close to its pole.  Eigenvectors are made of quotients of these gaps.
  Matrix gaps;
};

// The k roots of f(lambda) = 1 + sum_j w_j / (d_j - lambda), with
//
//   d_1 < lambda_1 < d_2 < ... < d_k < lambda_k <= d_k + sum_j w_j.
//
// Needs d strictly ascending, w > 0, and magnitudes near one (no over- or underflow in w_j / (d_j - lambda)^2).
[[nodiscard]] SecularRoots solve_secular_equation(const Vector& d, const Vector& w);

}  // namespace unscatter
