// The normal distribution in its tails, without overflow, underflow or cancellation. phi and Q are the density and the
// upper tail of the standard normal distribution.
//
//   R(x) = Q(x) / phi(x)  = integral_0^inf exp(-x t - t^2/2) dt        Mills' ratio
//   S(x) = -R'(x)         = integral_0^inf t exp(-x t - t^2/2) dt      = 1 - x R(x)
//
// Both are completely monotone.  Differentiating under the integral changes the sign each time, for every real x.
#pragma once

#include "privacy/interval.h"

namespace unscatter {

[[nodiscard]] Interval normal_density(Interval x);  // phi
// Q.  Its relative accuracy is poor beyond x = 37, where it underflows.
[[nodiscard]] Interval normal_upper_tail(Interval x);

// For x >= -1.
[[nodiscard]] Interval mills_ratio(Interval x);
[[nodiscard]] Interval mills_slope(Interval x);

}  // namespace unscatter
