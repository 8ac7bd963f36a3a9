#include "privacy/interval.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "unscatter/base/random.h"

namespace unscatter {
namespace {

bool holds(Interval interval, long double value) { return interval.lo <= value && value <= interval.hi; }

// A random positive double over some 12 orders of magnitude.
double positive(Sequence& random) { return std::exp(28 * random.unit() - 14); }

TEST(Interval, HoldsTheValueInHigherPrecision) {
  Sequence random(1);
  for (int i = 0; i < 20000; ++i) {
    const double x = positive(random);
    const double y = positive(random);
    const long double u = x;
    const long double v = y;
    EXPECT_TRUE(holds(point(x) + point(y), u + v));
    EXPECT_TRUE(holds(point(x) - point(y), u - v));
    EXPECT_TRUE(holds(times(point(x), point(y)), u * v));
    EXPECT_TRUE(holds(over(point(x), point(y)), u / v));
    EXPECT_TRUE(holds(square(Interval{-x, y}), 0));
    EXPECT_TRUE(holds(square(point(-x)), u * u));
    EXPECT_TRUE(holds(square_root(point(x)), std::sqrt(u)));
  }
}

// The assumption that everything above rests on: the C library's errors stay far below what is allowed for them.
TEST(Interval, LibraryErrorsStayBelowAQuarterOfTheAllowance) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "needs a type with more digits than double");
  Sequence random(2);
  const auto relative_error = [](double computed, long double exact) { return std::abs((computed - exact) / exact); };
  long double worst = 0;
  for (int i = 0; i < 50000; ++i) {
    const double x = 30 * random.unit() - 4;
    const double e = 700 * random.unit();
    const double l = positive(random);
    const long double w = x;
    if (x < 26) worst = std::max(worst, relative_error(std::erfc(x), std::erfc(w)));
    worst = std::max(worst, relative_error(std::exp(-e), std::exp(-static_cast<long double>(e))));
    worst = std::max(worst, relative_error(std::log(l), std::log(static_cast<long double>(l))));
    EXPECT_TRUE(holds(erfc_of(point(x)), std::erfc(w)));
  }
  EXPECT_LT(worst, kLibraryError / 4);
}

TEST(Interval, OneStepOutwardsIsTheNextNumber) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  std::vector<double> numbers = {
      0.0,   -0.0,   kLeast,     -kLeast,     1,         -1, std::numeric_limits<double>::min(),
      kMost, -kMost, kUnbounded, -kUnbounded, 2 * kLeast};
  Sequence random(3);
  for (int i = 0; i < 1000; ++i) numbers.push_back((random.chance(0.5) ? 1 : -1) * positive(random));
  for (const double x : numbers) {
    const Interval found = outwards(x, x);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found.hi), std::bit_cast<std::uint64_t>(std::nextafter(x, kUnbounded))) << x;
    EXPECT_EQ(found.lo, std::nextafter(x, -kUnbounded)) << x;
  }
  EXPECT_TRUE(std::isnan(next_above(std::nan(""))));
}

TEST(Interval, UnderflowStaysInside) {
  EXPECT_TRUE(holds(exp_of_minus(point(744)), std::exp(-744.0L)));
  EXPECT_TRUE(holds(exp_of_minus(point(800)), std::exp(-800.0L)));
  EXPECT_TRUE(holds(times(point(1e-200), point(1e-200)), 1e-200L * 1e-200L));
  EXPECT_TRUE(holds(over(point(1e300), point(1e-300)), 1e300L / 1e-300L));
}

}  // namespace
}  // namespace unscatter
