// Where kernels are sampled: lambda_i = 1 - cos(i pi / N) on [0, 2].
//
// Uniform in the angle, so that the ends, where low-pass kernels are steep and polynomials oscillate fastest, get the
// densest samples.  In the angle a Chebyshev series sum_k c_k T_k moves at most at rate sum_k k |c_k|.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

namespace unscatter {

// 65536 intervals: for the steepest built-in kernels (monic cubic, Lipschitz constant 40) the slack of the proven frame
// bounds is about 0.1 %, at about 10 ms per kernel.
inline constexpr std::size_t kGridIntervals = std::size_t{1} << 16;
inline constexpr double kGridAngle = std::numbers::pi / static_cast<double>(kGridIntervals);

// 2 sin^2 keeps full relative precision at the lower end, and gives exactly 0 and 2 at the ends.
[[nodiscard]] inline double grid_lambda(std::size_t i) {
  const double s = std::sin(0.5 * kGridAngle * static_cast<double>(i));
  return 2.0 * s * s;
}

// Upper bound of |f| between two samples a, b of it, for a function that changes by at most `variation` in between: the
// peak of the two cones over the samples.
[[nodiscard]] inline double peak_between(double a, double b, double variation) {
  return 0.5 * (std::abs(a) + std::abs(b) + variation);
}
// Lower bound of |f|, likewise.
[[nodiscard]] inline double trough_between(double a, double b, double variation) {
  return std::fmax(0.0, 0.5 * (std::abs(a) + std::abs(b) - variation));
}

}  // namespace unscatter
