// A small interval arithmetic. [lo, hi] holds the true value of what was computed, whatever the roundings were.
//
// The four operations and the square root are correctly rounded (IEEE 754, to nearest).  So one step outwards from each
// end is enough.  The functions exp, log and erfc come from the C library, which promises no bound. glibc documents at
// most 1, 1 and 5 units in the last place for double. kLibraryError allows 16, and tests/privacy/interval_test.cc looks
// for a violation.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace unscatter {

struct Interval {
  double lo;
  double hi;
};

inline constexpr double kLibraryError = 16 * std::numeric_limits<double>::epsilon();
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

[[nodiscard]] inline Interval point(double x) { return {x, x}; }
// std::nextafter(x, kUnbounded), of which the C library makes a call.  Every step of every interval takes two, and a
// small removal spent a millisecond in them.
[[nodiscard]] inline double next_above(double x) {
  if (!(x < kUnbounded)) return x;  // also if it is not a number
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  const auto bits = std::bit_cast<std::int64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
[[nodiscard]] inline Interval outwards(double lo, double hi) { return {-next_above(-lo), next_above(hi)}; }

[[nodiscard]] inline Interval operator+(Interval a, Interval b) { return outwards(a.lo + b.lo, a.hi + b.hi); }
[[nodiscard]] inline Interval operator-(Interval a, Interval b) { return outwards(a.lo - b.hi, a.hi - b.lo); }

// Products, quotients and roots of numbers that are known to be >= 0, so that no case depends on a sign.  A step
// outwards may have carried a lower end below 0; such an end counts as 0.
[[nodiscard]] inline Interval times(Interval a, Interval b) {
  return outwards(std::max(a.lo, 0.0) * std::max(b.lo, 0.0), a.hi * b.hi);
}
[[nodiscard]] inline Interval over(Interval a, Interval b) {
  return outwards(std::max(a.lo, 0.0) / b.hi, a.hi / std::max(b.lo, 0.0));
}
[[nodiscard]] inline Interval square_root(Interval a) {
  return outwards(std::sqrt(std::max(a.lo, 0.0)), std::sqrt(a.hi));
}

[[nodiscard]] inline Interval square(Interval a) {
  // Not times(a, a): the interval may lie on both sides of 0, and then its square starts at 0.
  const double smaller = std::min(std::abs(a.lo), std::abs(a.hi));
  const double larger = std::max(std::abs(a.lo), std::abs(a.hi));
  const bool crosses_zero = a.lo <= 0 && a.hi >= 0;
  return times({crosses_zero ? 0 : smaller, larger}, {crosses_zero ? 0 : smaller, larger});
}

// Room for the error of the C library.  The second term covers subnormal results, where a unit in the last place is an
// absolute quantity.
[[nodiscard]] inline Interval library_result(double lo, double hi) {
  constexpr double kTiny = 32 * std::numeric_limits<double>::denorm_min();
  return {lo - (std::abs(lo) * kLibraryError + kTiny), hi + (std::abs(hi) * kLibraryError + kTiny)};
}

// exp(-x) and erfc(x) fall with x, so their ends change places.  The logarithm grows.
[[nodiscard]] inline Interval exp_of_minus(Interval x) { return library_result(std::exp(-x.hi), std::exp(-x.lo)); }
[[nodiscard]] inline Interval erfc_of(Interval x) { return library_result(std::erfc(x.hi), std::erfc(x.lo)); }
[[nodiscard]] inline Interval log_of(Interval x) { return library_result(std::log(x.lo), std::log(x.hi)); }

}  // namespace unscatter
