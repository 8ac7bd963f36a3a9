#include "privacy/mills_ratio.h"

#include <cmath>

namespace unscatter {
namespace {

// Enclosures of sqrt(2) and sqrt(2 pi), each between two neighbouring doubles.  Hexadecimal, so that no decimal is
// rounded.
constexpr Interval kSqrtTwo = {0x1.6a09e667f3bccp+0, 0x1.6a09e667f3bcdp+0};
constexpr Interval kSqrtTwoPi = {0x1.40d931ff62705p+1, 0x1.40d931ff62706p+1};

// From here on the continued fraction converges fast enough. 100 levels leave an uncertainty of 1e-14 at x = 2, and
// less for larger x.  Below, the quotient Q / phi loses little.
constexpr double kFarOut = 2;
constexpr int kLevels = 100;

// T(x) = x + 2/(x + 3/(x + ...)), the tail of Laplace's continued fraction R(x) = 1/(x + 1/T(x)).  Every level n is at
// least x, and therefore at most x + n/x.  The recurrence is started with both ends, so it encloses the value, and no
// separate bound for the truncation is needed.
Interval fraction_tail(Interval x) {
  Interval level = {x.lo, (x + over(point(kLevels), x)).hi};
  for (int n = kLevels - 1; n >= 2; --n) level = x + over(point(n), level);
  return level;
}

}  // namespace

Interval normal_density(Interval x) { return over(exp_of_minus(times(square(x), point(0.5))), kSqrtTwoPi); }

Interval normal_upper_tail(Interval x) {
  // x may be negative, and over() is for numbers >= 0.  So magnitudes are divided, and the sign is put back.
  const auto scaled = [](double end, bool up) {
    const Interval quotient = over(point(std::abs(end)), kSqrtTwo);
    const Interval with_sign = end < 0 ? Interval{-quotient.hi, -quotient.lo} : quotient;
    return up ? with_sign.hi : with_sign.lo;
  };
  return times(point(0.5), erfc_of({scaled(x.lo, false), scaled(x.hi, true)}));
}

Interval mills_ratio(Interval x) {
  if (x.lo < kFarOut) return over(normal_upper_tail(x), normal_density(x));
  return over(point(1), x + over(point(1), fraction_tail(x)));
}

Interval mills_slope(Interval x) {
  // 1 - x R = 1 / (1 + x T).  In the fraction nothing cancels.  The difference would lose about x^2 units.
  if (x.lo >= kFarOut) return over(point(1), point(1) + times(x, fraction_tail(x)));
  if (x.lo >= 0) return point(1) - times(x, mills_ratio(x));
  // Around 0 the ends of x may have different signs.  S falls with x, so each end is bounded on its own.
  const auto at = [](double end) {
    if (end >= 0) return point(1) - times(point(end), mills_ratio(point(end)));
    return point(1) + times(point(-end), mills_ratio(point(end)));
  };
  return {at(x.hi).lo, at(x.lo).hi};
}

}  // namespace unscatter
