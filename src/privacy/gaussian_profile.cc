#include "unscatter/privacy/gaussian_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "privacy/mills_ratio.h"

namespace unscatter {
namespace {

// Below this shift the difference of two Mills ratios loses digits, while a quadrature is right to rounding.
constexpr double kSmallShift = 0x1p-6;
// phi(39) < 1e-330.  No positive double is left beyond.
constexpr double kVanishing = 39;

// An upper bound of R(a) - R(b) = integral_a^b S(x) dx for b = a + mu with small mu, by the Gauss-Lobatto rule with 4
// nodes.
//
// The error of the rule is a negative multiple of the sixth derivative.  That derivative is positive since S is
// completely monotone.  So the rule errs high, which is the safe side.  It errs by (mu/2)^7 (2/23625) S^(6), and S^(6)
// <= 49 S for x >= -2^-7 (48 S at 0, less for larger x).  For mu <= 2^-6 this is less than 1e-15 of the value.
Interval ratio_drop_by_quadrature(Interval a, double mu) {
  // The inner nodes on [0, 1] are (1 -+ 1/sqrt 5)/2.  The weights are 1/12, 5/12, 5/12, 1/12.
  const Interval inner = over(point(1), square_root(point(5)));
  const Interval first = times(point(0.5), point(1) - inner);
  const Interval second = times(point(0.5), point(1) + inner);
  const auto slope_at = [&](Interval fraction) { return mills_slope(a + times(fraction, point(mu))); };
  const Interval ends = slope_at(point(0)) + slope_at(point(1));
  const Interval middle = slope_at(first) + slope_at(second);
  return times(point(mu), over(ends + times(point(5), middle), point(12)));
}

// Let a = epsilon/mu - mu/2 and b = a + mu.  Then b^2 - a^2 = 2 epsilon, so exp(epsilon) phi(b) = phi(a), and
//
//   delta(epsilon; mu) = Q(a) - exp(epsilon) Q(b) = Q(a) - phi(a) R(b) = phi(a) (R(a) - R(b)),
//
// where nothing overflows.  The three branches compute this one number.  They differ in what cancels.
double profile_upper_bound(double mu, double epsilon) {
  constexpr double kFloor = std::numeric_limits<double>::min();
  if (mu == 0) return 0;
  if (std::isinf(mu)) return 1;
  const Interval a = over(point(epsilon), point(mu)) - times(point(0.5), point(mu));
  // delta is at most Q(a), which is smaller than the smallest normal number here.
  if (a.lo > kVanishing) return kFloor;
  const Interval b = a + point(mu);
  // kFloor is added below because a product of tiny factors may have underflowed.
  double bound = 1;
  if (mu <= kSmallShift) {
    bound = times(normal_density(a), ratio_drop_by_quadrature(a, mu)).hi;
  } else if (a.lo >= 1) {
    bound = times(normal_density(a), mills_ratio(a) - mills_ratio(b)).hi;
  } else {
    bound = (normal_upper_tail(a) - times(normal_density(a), mills_ratio(b))).hi;
  }
  // A NaN would need infinity - infinity.  Only intervals that say nothing produce that, and then 1 is the bound.
  return bound + kFloor < 1 ? bound + kFloor : 1;
}

// The last double at which `holds` is true, given that it is true at `good` and false at `bad`.  Doubles >= 0 have the
// order of their bit patterns, so 64 halvings are enough.  The result is safe even if `holds` is not monotone: it was
// true there.
template <typename Predicate>
double boundary(double good, double bad, Predicate holds) {
  auto inside = std::bit_cast<std::uint64_t>(good);
  auto outside = std::bit_cast<std::uint64_t>(bad);
  while (std::max(inside, outside) - std::min(inside, outside) > 1) {
    const std::uint64_t middle =
        std::min(inside, outside) + (std::max(inside, outside) - std::min(inside, outside)) / 2;
    (holds(std::bit_cast<double>(middle)) ? inside : outside) = middle;
  }
  return std::bit_cast<double>(inside);
}

Status check_shift(double shift) {
  if (shift >= 0) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("a shift must be at least 0, not {}", shift)};
}

Status check_epsilon(double epsilon) {
  if (epsilon >= 0 && std::isfinite(epsilon)) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("epsilon must be finite and at least 0, not {}", epsilon)};
}

Status check_delta(double delta) {
  if (delta > 0 && delta < 1) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("delta must lie strictly between 0 and 1, not {}", delta)};
}

}  // namespace

Status check_guarantee(const RemovalGuarantee& guarantee) {
  UNSCATTER_CHECK_OK(check_epsilon(guarantee.epsilon));
  return check_delta(guarantee.delta);
}

Result<double> delta_upper_bound(double shift, double epsilon) {
  UNSCATTER_CHECK_OK(check_shift(shift));
  UNSCATTER_CHECK_OK(check_epsilon(epsilon));
  return profile_upper_bound(shift, epsilon);
}

Result<double> largest_shift_lower_bound(const RemovalGuarantee& guarantee) {
  UNSCATTER_CHECK_OK(check_guarantee(guarantee));
  const auto satisfied = [&](double mu) { return profile_upper_bound(mu, guarantee.epsilon) <= guarantee.delta; };
  return boundary(0, std::numeric_limits<double>::infinity(), satisfied);
}

Result<double> smallest_epsilon_upper_bound(double shift, double delta) {
  UNSCATTER_CHECK_OK(check_shift(shift));
  UNSCATTER_CHECK_OK(check_delta(delta));
  const auto satisfied = [&](double epsilon) { return profile_upper_bound(shift, epsilon) <= delta; };
  if (satisfied(0)) return 0.0;
  if (!satisfied(std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
  // Here the good end is the large one: delta falls with epsilon.
  return boundary(std::numeric_limits<double>::max(), 0, satisfied);
}

}  // namespace unscatter
