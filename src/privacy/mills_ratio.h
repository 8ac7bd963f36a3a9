// The normal distribution in its tails, without over- or underflow and without cancellation.  phi, Q: density and upper
// tail of the standard normal.
//
//   R(x) = Q(x) / phi(x)  = integral_0^inf exp(-x t - t^2/2) dt        Mills' ratio
//   S(x) = -R'(x)         = integral_0^inf t exp(-x t - t^2/2) dt      = 1 - x R(x)
//
// Both are completely monotone: differentiating under the integral changes the sign each time, for every real x.
#pragma once

#include "privacy/interval.h"

namespace unscatter {

[[nodiscard]] Interval normal_density(Interval x);  // phi
[[nodiscard]] Interval normal_upper_tail(
    Interval x);  // Q; of little relative accuracy beyond x = 37, where it underflows

// For x >= -1.
[[nodiscard]] Interval mills_ratio(Interval x);
[[nodiscard]] Interval mills_slope(Interval x);

}  // namespace unscatter
