// How large rounding errors can be, for error envelopes that are stated in advance.
#pragma once

#include <limits>

namespace unscatter {

inline constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon() / 2;  // u = 2^-53

// gamma_k = k u / (1 - k u), the relative error of k roundings in a row [Higham02, Lemma 3.1].  For k below 2^52.
[[nodiscard]] constexpr double rounding_factor(double k) { return k * kUnitRoundoff / (1 - k * kUnitRoundoff); }

}  // namespace unscatter
