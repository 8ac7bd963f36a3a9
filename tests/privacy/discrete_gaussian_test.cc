#include "privacy/discrete_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "base/testing/seeded_random.h"

namespace unscatter {
namespace {

struct Scale {
  std::uint64_t numerator;
  std::uint64_t denominator;
  [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

std::vector<std::int64_t> draw(Scale scale, RandomSource& source, std::size_t count) {
  DiscreteGaussian noise = DiscreteGaussian::create(scale.numerator, scale.denominator, source).value();
  std::vector<std::int64_t> samples(count);
  noise.sample(samples);
  return samples;
}

// Chi-square of the samples against the exact probabilities exp(-y^2/(2 s^2)) / sum, cells of fewer than 10 expected
// samples merged into the tails, in standard deviations above its mean.  Values up to 6 happen by chance with a
// probability near 1e-6; what a value below that does not show is a fault too small for this many samples: a few
// percent of sigma.
double excess(const std::vector<std::int64_t>& samples, double scale) {
  std::map<std::int64_t, long double> weights;
  long double total = 0;
  const auto reach = static_cast<std::int64_t>(std::ceil(12 * scale)) + 2;
  for (std::int64_t y = -reach; y <= reach; ++y) {
    const auto z = static_cast<long double>(y) / scale;
    total += weights[y] = std::exp(-z * z / 2);
  }
  const auto count = static_cast<long double>(samples.size());
  std::int64_t edge = 0;  // cells -edge .. edge, the outer two with everything beyond
  while (edge < reach && weights[edge + 1] / total * count >= 10) ++edge;
  std::map<std::int64_t, long double> expected;
  for (const auto& [y, weight] : weights) expected[std::clamp(y, -edge, edge)] += weight / total * count;
  std::map<std::int64_t, long double> seen;
  for (const std::int64_t y : samples) seen[std::clamp(y, -edge, edge)] += 1;
  long double chi_square = 0;
  for (const auto& [cell, mean] : expected) chi_square += (seen[cell] - mean) * (seen[cell] - mean) / mean;
  if (expected.size() < 2) return 0;
  const auto freedom = static_cast<long double>(expected.size() - 1);
  return static_cast<double>((chi_square - freedom) / std::sqrt(2 * freedom));
}

constexpr std::size_t kSamples = 60000;
const std::vector<Scale> kScales = {{3, 10}, {1, 2}, {1, 1}, {37, 10}, {50, 1}, {52428800, 1 << 20}};

TEST(DiscreteGaussian, HasTheExactDistribution) {
  for (const Scale scale : kScales) {
    SCOPED_TRACE(scale.value());
    testing::SeededRandom source(scale.numerator);
    EXPECT_LT(excess(draw(scale, source, kSamples), scale.value()), 6);
  }
}

// Negative controls: the same test finds noise of half the promised size, noise that is 10 % off, and coins that are
// not fair.
TEST(DiscreteGaussian, TheTestCatchesPlantedFaults) {
  class Biased final : public RandomSource {
   public:
    // A bit is 1 with probability 17/32: set, or four others all set.
    void fill(std::span<std::byte> bytes) override {
      fair_.fill(bytes);
      std::vector<std::byte> other(bytes.size());
      std::vector<std::byte> all(bytes.size(), std::byte{0xff});
      for (int i = 0; i < 4; ++i) {
        fair_.fill(other);
        for (std::size_t k = 0; k < bytes.size(); ++k) all[k] &= other[k];
      }
      for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] |= all[k];
    }

   private:
    testing::SeededRandom fair_{99};
  };
  for (const Scale scale : kScales) {
    SCOPED_TRACE(scale.value());
    testing::SeededRandom source(7);
    const Scale half{scale.numerator, scale.denominator * 2};
    if (half.denominator <= 1 << 20) {
      EXPECT_GT(excess(draw(half, source, kSamples), scale.value()), 20);
    }
    if (scale.value() >= 1) {
      EXPECT_GT(excess(draw(scale, source, kSamples), 1.1 * scale.value()), 6);
    }
    Biased biased;
    EXPECT_GT(excess(draw(scale, biased, kSamples), scale.value()), 6);
  }
}

TEST(DiscreteGaussian, IsSymmetricWithTheRightTails) {
  const Scale scale{37, 10};
  testing::SeededRandom source(11);
  const std::vector<std::int64_t> samples = draw(scale, source, kSamples);
  int above = 0;
  int below = 0;
  int far = 0;
  for (const std::int64_t y : samples) {
    above += y > 0 ? 1 : 0;
    below += y < 0 ? 1 : 0;
    far += std::abs(y) > 11 ? 1 : 0;  // 3.1 standard deviations
  }
  EXPECT_LT(std::abs(above - below), 5 * std::sqrt(above + below));
  long double tail = 0;
  long double total = 0;
  for (int y = -100; y <= 100; ++y) {
    const long double weight = std::exp(-y * y / (2 * 3.7L * 3.7L));
    total += weight;
    if (std::abs(y) > 11) tail += weight;
  }
  const auto expected = static_cast<double>(tail / total * kSamples);
  EXPECT_LT(std::abs(far - expected), 5 * std::sqrt(expected));
}

// At scales where the cells are too many: moments, and the share within one standard deviation.
TEST(DiscreteGaussian, MomentsAtLargeScales) {
  for (const Scale scale : {Scale{1000000, 1}, Scale{0x1abcdef012345fULL, 1 << 20},
                            Scale{std::uint64_t{1} << 60, 1 << 20}, Scale{std::uint64_t{1} << 40, 1}}) {
    SCOPED_TRACE(scale.value());
    testing::SeededRandom source(scale.numerator);
    double mean = 0;
    double variance = 0;
    double fourth = 0;
    double within = 0;
    double neighbours = 0;
    double last = 0;
    for (const std::int64_t y : draw(scale, source, kSamples)) {
      const double z = static_cast<double>(y) / scale.value();
      mean += z / kSamples;
      variance += z * z / kSamples;
      fourth += z * z * z * z / kSamples;
      within += std::abs(z) < 1 ? 1.0 / kSamples : 0;
      neighbours += z * last / kSamples;
      last = z;
    }
    const double n = std::sqrt(static_cast<double>(kSamples));
    EXPECT_LT(std::abs(mean), 5 / n);
    EXPECT_LT(std::abs(variance - 1), 5 * std::sqrt(2.0) / n);
    EXPECT_LT(std::abs(fourth - 3), 5 * std::sqrt(96.0) / n);
    EXPECT_LT(std::abs(within - std::erf(std::sqrt(0.5))), 5 * 0.47 / n);
    EXPECT_LT(std::abs(neighbours), 5 / n);  // successive samples do not know one another
  }
}

// The low digits are as random as the high ones, also where the scale is far beyond 2^53 units of the fraction.
TEST(DiscreteGaussian, LowDigitsAreUniform) {
  testing::SeededRandom source(5);
  std::vector<int> counts(16);
  for (const std::int64_t y : draw({std::uint64_t{1} << 40, 1}, source, kSamples))
    ++counts[static_cast<std::size_t>(y & 15)];
  double chi_square = 0;
  for (const int count : counts)
    chi_square += (count - kSamples / 16.0) * (count - kSamples / 16.0) / (kSamples / 16.0);
  EXPECT_LT(chi_square, 15 + 6 * std::sqrt(30.0));
}

TEST(DiscreteGaussian, CallsAndObjectsAreIndependent) {
  testing::SeededRandom source(21);
  DiscreteGaussian a = DiscreteGaussian::create(50, 1, source).value();
  DiscreteGaussian b = DiscreteGaussian::create(50, 1, source).value();
  double product = 0;
  double lagged = 0;
  double last = 0;
  constexpr int kPairs = 30000;
  for (int i = 0; i < kPairs; ++i) {
    const double x = static_cast<double>(a.sample()) / 50;
    const double y = static_cast<double>(b.sample()) / 50;
    product += x * y;
    lagged += x * last;
    last = x;
  }
  EXPECT_LT(std::abs(product), 5 * std::sqrt(kPairs));
  EXPECT_LT(std::abs(lagged), 5 * std::sqrt(kPairs));
}

TEST(DiscreteGaussian, TheSeedFixesTheSamples) {
  testing::SeededRandom one(3);
  testing::SeededRandom same(3);
  testing::SeededRandom other(4);
  const auto samples = draw({1000, 3}, one, 100);
  EXPECT_EQ(samples, draw({1000, 3}, same, 100));
  EXPECT_NE(samples, draw({1000, 3}, other, 100));
}

// A broken source must not hang the program: samples or an exception, soon.
TEST(DiscreteGaussian, AStuckSourceEnds) {
  class Stuck final : public RandomSource {
   public:
    explicit Stuck(unsigned char value) : value_(value) {}
    void fill(std::span<std::byte> bytes) override { std::fill(bytes.begin(), bytes.end(), std::byte{value_}); }

   private:
    unsigned char value_;
  };
  int exceptions = 0;
  for (int value = 0; value < 256; ++value) {
    for (const Scale scale : {Scale{3, 10}, Scale{37, 10}, Scale{(std::uint64_t{1} << 53) - 1, 1 << 20}}) {
      Stuck source(static_cast<unsigned char>(value));
      try {
        (void)draw(scale, source, 20);
      } catch (const InvariantViolation&) {
        ++exceptions;
      }
    }
  }
  EXPECT_GT(exceptions, 0);
}

TEST(DiscreteGaussian, TinyScalesGiveZero) {
  testing::SeededRandom source(1);
  for (const std::int64_t y : draw({1, 1 << 20}, source, 200)) EXPECT_EQ(y, 0);
}

TEST(DiscreteGaussian, RefusesScalesOutOfRange) {
  testing::SeededRandom source(1);
  const std::uint64_t largest = std::uint64_t{1} << 40;
  EXPECT_FALSE(DiscreteGaussian::create(0, 1, source).ok());
  EXPECT_FALSE(DiscreteGaussian::create(1, 0, source).ok());
  EXPECT_FALSE(DiscreteGaussian::create(1, (1 << 20) + 1, source).ok());
  EXPECT_FALSE(DiscreteGaussian::create(largest + 1, 1, source).ok());
  EXPECT_FALSE(DiscreteGaussian::create(~std::uint64_t{0}, 1 << 20, source).ok());
  EXPECT_TRUE(DiscreteGaussian::create(largest << 20, 1 << 20, source).ok());
}

}  // namespace
}  // namespace unscatter
