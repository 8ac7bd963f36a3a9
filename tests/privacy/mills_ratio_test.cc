#include "privacy/mills_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

namespace unscatter {
namespace {

// integral_0^inf t^power exp(-x t - t^2/2) dt by Simpson's rule in long double.
long double laplace_integral(long double x, int power) {
  constexpr int kSteps = 40000;
  // Until the exponent has fallen by 60 from its largest value, at t = max(0, -x).
  const long double end = -x + std::sqrt(x * x + 120) + (x < 0 ? -2 * x : 0);
  const long double h = end / kSteps;
  long double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const long double t = h * i;
    const int weight = i == 0 || i == kSteps ? 1 : (i % 2 == 1 ? 4 : 2);
    sum += weight * (power == 0 ? 1 : t) * std::exp(-x * t - t * t / 2);
  }
  return sum * h / 3;
}

TEST(MillsRatio, EnclosesTheIntegral) {
  for (const double x : {-1.0, -0.01, 0.0, 1e-9, 0.3, 1.0, 1.999, 2.0, 2.001, 3.0, 7.0, 20.0, 39.0}) {
    SCOPED_TRACE(x);
    const Interval ratio = mills_ratio(point(x));
    const Interval slope = mills_slope(point(x));
    const long double R = laplace_integral(x, 0);
    const long double S = laplace_integral(x, 1);
    // The integral itself is good to about 1e-13.
    EXPECT_LE(ratio.lo, R * (1 + 1e-13L));
    EXPECT_GE(ratio.hi, R * (1 - 1e-13L));
    EXPECT_LE(slope.lo, S * (1 + 1e-13L));
    EXPECT_GE(slope.hi, S * (1 - 1e-13L));
    // And it is narrow.
    EXPECT_LT(ratio.hi - ratio.lo, 2e-14 * ratio.hi);
    EXPECT_LT(slope.hi - slope.lo, 3e-13 * slope.hi);
  }
}

TEST(MillsRatio, WideArgumentsGiveWideEnclosures) {
  const Interval x = {-0.001, 0.002};
  for (const double inside : {-0.001, 0.0, 0.002}) {
    EXPECT_LE(mills_slope(x).lo, mills_slope(point(inside)).lo);
    EXPECT_GE(mills_slope(x).hi, mills_slope(point(inside)).hi);
    EXPECT_LE(normal_upper_tail(x).lo, normal_upper_tail(point(inside)).lo);
    EXPECT_GE(normal_density(x).hi, normal_density(point(inside)).hi);
  }
}

TEST(NormalTail, IsSymmetric) {
  for (const double x : {0.0, 0.5, 3.0, 8.0}) {
    const Interval sum = normal_upper_tail(point(x)) + normal_upper_tail(point(-x));
    EXPECT_LE(sum.lo, 1);
    EXPECT_GE(sum.hi, 1);
    EXPECT_LT(sum.hi - sum.lo, 1e-13);
  }
}

}  // namespace
}  // namespace unscatter
