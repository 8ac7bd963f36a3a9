#include "privacy/grid_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/testing/seeded_random.h"

namespace unscatter {
namespace {

GridNoise noise_of(double stddev) { return GridNoise::create(stddev).value(); }

TEST(GridNoise, TheGridIsAPowerOfTwoFarBelowTheNoise) {
  for (const double sigma : {1e-200, 3e-10, 0.1, 1.0, std::nextafter(2.0, 0.0), 1e200}) {
    SCOPED_TRACE(sigma);
    const GridNoise noise = noise_of(sigma);
    int exponent = 0;
    EXPECT_EQ(std::frexp(noise.grid(), &exponent), 0.5);
    EXPECT_GE(sigma / noise.grid(), 0x1p32);
    EXPECT_LT(sigma / noise.grid(), 0x1p33);
    EXPECT_EQ(noise.noise_stddev(), sigma);
  }
}

// Two models, each rounded: their distance grows by no more than the surcharge.
TEST(GridNoise, RoundingMovesNoMoreThanItSays) {
  const GridNoise noise = noise_of(0.37);
  Sequence random(4);
  for (const std::size_t count : {1u, 2u, 7u, 1000u}) {
    double moved = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = 20 * random.unit() - 10;
      const double error = std::nearbyint(value / noise.grid()) * noise.grid() - value;
      moved += error * error;
    }
    EXPECT_LE(std::sqrt(moved), noise.rounding_error_upper_bound(count));
    EXPECT_EQ(2 * noise.rounding_error_upper_bound(count), noise.shift_surcharge_upper_bound(count));
    const auto exact = std::sqrt(static_cast<long double>(count)) * noise.grid();
    EXPECT_GE(noise.shift_surcharge_upper_bound(count), exact);
    EXPECT_LE(noise.shift_surcharge_upper_bound(count), exact * (1 + 1e-15L));
  }
  EXPECT_EQ(noise.shift_surcharge_upper_bound(0), 0);
}

// The lemma behind the surcharge on delta, where it can be computed: a discrete Gaussian of scale s is within 1/(16
// s^2) of a rounded Gaussian in total variation.
TEST(GridNoise, ADiscreteGaussianIsCloseToARoundedOne) {
  for (const long double s : {1.0L, 1.5L, 3.7L, 20.0L}) {
    const int reach = static_cast<int>(14 * s) + 2;
    long double total = 0;
    for (int y = -reach; y <= reach; ++y) total += std::exp(-y * y / (2 * s * s));
    long double distance = 0;
    for (int y = -reach; y <= reach; ++y) {
      const long double discrete = std::exp(-y * y / (2 * s * s)) / total;
      const long double scale = s * std::sqrt(2.0L);
      const long double rounded = (std::erfc((y - 0.5L) / scale) - std::erfc((y + 0.5L) / scale)) / 2;
      distance += std::abs(discrete - rounded) / 2;
    }
    EXPECT_LE(distance, 1 / (16 * s * s)) << static_cast<double>(s);
    EXPECT_GE(distance, 1 / (100 * s * s));  // so the bound is not idle
  }
}

TEST(GridNoise, TheShiftIncludesTheGrid) {
  const GridNoise noise = noise_of(0.3);
  for (const double distance : {0.0, 1e-12, 0.1, 5.0}) {
    const auto exact = (distance + 10 * static_cast<long double>(noise.grid())) / 0.3;
    const double shift = noise.shift_upper_bound(distance, 100).value();
    EXPECT_GE(shift, exact);
    EXPECT_LE(shift, exact * (1 + 2e-15L));
  }
  EXPECT_EQ(noise.shift_upper_bound(0, 0).value(), 0);
  EXPECT_TRUE(std::isinf(noise.shift_upper_bound(std::numeric_limits<double>::infinity(), 1).value()));
  EXPECT_FALSE(noise.shift_upper_bound(-1, 1).ok());
  EXPECT_FALSE(noise.shift_upper_bound(std::nan(""), 1).ok());
}

TEST(GridNoise, TheSurchargeOnDelta) {
  const GridNoise noise = noise_of(1);
  const double expected = (1 + std::exp(1.0)) * 1e6 * 0x1p-68;
  const double surcharge = noise.delta_surcharge_upper_bound(1000000, 1).value();
  EXPECT_GE(surcharge, expected);
  EXPECT_LE(surcharge, expected * (1 + 1e-13));
  EXPECT_EQ(noise.delta_surcharge_upper_bound(0, 1).value(), 0);
  EXPECT_EQ(noise.delta_surcharge_upper_bound(5, 1e6).value(), 1);
  EXPECT_FALSE(noise.delta_surcharge_upper_bound(5, -1).ok());
  EXPECT_FALSE(noise.delta_surcharge_upper_bound(5, std::nan("")).ok());
}

TEST(GridNoise, AddsNoiseOfThePromisedSize) {
  constexpr double kSigma = 0.013;
  const GridNoise noise = noise_of(kSigma);
  testing::SeededRandom source(8);
  constexpr std::size_t kCount = 40000;
  std::vector<double> values(kCount, 2.5);
  ASSERT_TRUE(noise.add_to(values, source).ok());
  double mean = 0;
  double variance = 0;
  for (const double value : values) {
    const double z = (value - 2.5) / kSigma;
    mean += z / kCount;
    variance += z * z / kCount;
    EXPECT_EQ(std::fmod(value, noise.grid()), 0);
  }
  const double n = std::sqrt(static_cast<double>(kCount));
  EXPECT_LT(std::abs(mean), 5 / n);
  EXPECT_LT(std::abs(variance - 1), 5 * std::sqrt(2.0) / n);
}

// The state under the noise shows through only up to its rounding: the same source on a value moved by less than half a
// step that rounds alike gives the same output, bit for bit.
TEST(GridNoise, OnlyTheRoundedValueMatters) {
  const GridNoise noise = noise_of(1);
  const double on_grid = 1000 * noise.grid();
  for (const double offset : {-0.49, -0.1, 0.0, 0.3, 0.49}) {
    testing::SeededRandom one(6);
    testing::SeededRandom same(6);
    std::vector<double> a{on_grid, -on_grid};
    std::vector<double> b{on_grid + offset * noise.grid(), -on_grid + offset * noise.grid()};
    ASSERT_TRUE(noise.add_to(a, one).ok());
    ASSERT_TRUE(noise.add_to(b, same).ok());
    EXPECT_EQ(a, b);
  }
}

// Values far above the noise, where the sum has more digits than a double.
TEST(GridNoise, LargeValuesKeepTheirNoise) {
  const GridNoise noise = noise_of(1e-10);
  testing::SeededRandom source(12);
  std::vector<double> values(2000, 123.456);
  ASSERT_TRUE(noise.add_to(values, source).ok());
  double variance = 0;
  for (const double value : values) variance += std::pow((value - 123.456) / 1e-10, 2) / 2000;
  EXPECT_NEAR(variance, 1, 0.2);
}

TEST(GridNoise, Refusals) {
  for (const double bad : {0.0, -1.0, 1e-300, 1e300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(GridNoise::create(bad).error().code, ErrorCode::kInvalidArgument);
  }
  const GridNoise noise = noise_of(1);
  testing::SeededRandom source(1);
  for (const double bad : {0x1p61, -0x1p61, std::numeric_limits<double>::infinity(), std::nan("")}) {
    std::vector<double> values{1.25, bad};
    EXPECT_EQ(noise.add_to(values, source).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(values[0], 1.25);
  }
  std::vector<double> edge{0x1p60, -0x1p60};
  EXPECT_TRUE(noise.add_to(edge, source).ok());
}

}  // namespace
}  // namespace unscatter
