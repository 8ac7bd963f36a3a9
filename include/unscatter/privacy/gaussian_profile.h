// From a shift mu of a Gaussian to (epsilon, delta), and back.  Pure arithmetic: no data, no randomness, no I/O.
//
// Two releases N(x, sigma^2 I) and N(x', sigma^2 I) with mu = |x - x'| / sigma are (epsilon, delta)-indistinguishable
// if and only if
//
//   delta >= delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu)      [Balle18, Thm. 8]
//
// This delta grows with mu and falls with epsilon.  Every function says on which side it errs.  It errs on that side in
// floating point too, because the formula is evaluated in interval arithmetic.  The proofs are in docs/privacy.md.
#pragma once

#include "unscatter/base/result.h"

namespace unscatter {

// (epsilon, delta) certified removal [Guo20, Sec. 2].  P[one] <= exp(epsilon) P[other] + delta for every set of
// outcomes, where one of the two models is the published one and the other is the retrained one, in both orders.
struct RemovalGuarantee {
  double epsilon;  // >= 0, finite
  double delta;    // in (0, 1)
};

// kInvalidArgument unless both numbers are in the ranges above.
[[nodiscard]] Status check_guarantee(const RemovalGuarantee& guarantee);

// Never below delta(epsilon; mu), never above 1; 0 for mu = 0 and 1 for mu = infinity.  The excess was measured against
// 60 digits.  It is below 1e-11 of the value for mu <= 1000 and below 100 mu 2^-52 of it for larger mu, plus the
// smallest normal number.  Errors: kInvalidArgument unless mu is in [0, infinity] and epsilon in [0, infinity).
[[nodiscard]] Result<double> delta_upper_bound(double shift, double epsilon);

// The largest mu that still satisfies `guarantee`, never above the true one: 0.3139 at epsilon = 1, delta = 1e-4.  The
// result has been checked: delta_upper_bound(result, epsilon) <= delta.  Errors: kInvalidArgument outside the ranges of
// RemovalGuarantee.
[[nodiscard]] Result<double> largest_shift_lower_bound(const RemovalGuarantee& guarantee);

// The smallest epsilon for which a shift mu satisfies (epsilon, delta), never below the true one, and checked in the
// same way.  It is 0 if epsilon = 0 is enough, and infinity for mu = infinity or where no double is large enough.
// Errors: kInvalidArgument unless mu is in [0, infinity] and delta in (0, 1).
[[nodiscard]] Result<double> smallest_epsilon_upper_bound(double shift, double delta);

}  // namespace unscatter
