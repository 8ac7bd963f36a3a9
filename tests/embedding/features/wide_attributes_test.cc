#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "embedding/features/wide_scale.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/feature_map.h"

namespace unscatter {
namespace {

std::vector<double> wide_shares(double value) {
  std::vector<double> shares(kWideChannels, 0.0);
  on_wide_scale(value, [&](std::size_t channel, double share) { shares.at(channel) += share; });
  return shares;
}

double wide_distance(double a, double b) {
  const std::vector<double> one = wide_shares(a);
  const std::vector<double> other = wide_shares(b);
  double sum = 0;
  for (std::size_t k = 0; k < one.size(); ++k) sum += std::abs(one[k] - other[k]);
  return sum;
}

// The bound of rows rests on this, for every number that a file can hold.
TEST(WideScale, SharesArePositiveAndSumToOne) {
  std::vector<double> values = {0.0,
                                -0.0,
                                1e-300,
                                -1e-300,
                                1.0,
                                -1.0,
                                1.6e9,
                                1e12,
                                1e300,
                                -1e300,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::infinity()};
  Sequence random(7);
  for (int i = 0; i < 2000; ++i) {
    values.push_back((random.chance(0.5) ? 1 : -1) * std::exp(1400 * (random.unit() - 0.5)));
  }
  for (const double value : values) {
    SCOPED_TRACE(value);
    double sum = 0;
    for (const double share : wide_shares(value)) {
      EXPECT_GE(share, 0);
      sum += share;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

// What ordinary data have: ages a year apart, flags, amounts, seconds since 1970 half a year apart, small shares.
TEST(WideScale, OrdinaryNumbersAreToldApart) {
  EXPECT_GT(wide_distance(41, 42), 0.1);
  EXPECT_GT(wide_distance(0, 1), 0.5);
  EXPECT_GT(wide_distance(-3, 3), 0.5);
  EXPECT_GT(wide_distance(999'000, 1'000'000), 0.02);
  EXPECT_GT(wide_distance(1.68e9, 1.70e9), 0.1);
  EXPECT_GT(wide_distance(0.5, 0.51), 0.1);
  EXPECT_GT(wide_distance(1e-6, 2e-6), 0.1);
  EXPECT_GT(wide_distance(1e11, 2e11), 0.1);
  // Beyond both ends there is nothing to see, and nothing breaks.
  EXPECT_EQ(wide_distance(1e200, 1e300), 0);
  EXPECT_LT(wide_distance(0, 1e-200), 1e-12);
}

// A small change of a number changes its shares little, also where it passes a centre or goes once around a circle.
TEST(WideScale, IsContinuous) {
  for (double value = 1e-7; value < 1e13; value *= 1.01) {
    EXPECT_LT(wide_distance(value, value * (1 + 1e-9)), 1e-5) << value;
    EXPECT_LT(wide_distance(-value, -value * (1 + 1e-9)), 1e-5) << value;
  }
}

TEST(WideAttributes, GraphsMayHaveFewerOrMoreAttributes) {
  const auto graph = [](std::size_t attributes) {
    GraphParts parts;
    parts.node_count = 2;
    parts.attribute_count = attributes;
    parts.attributes.assign(2 * attributes, 5.0);
    return Graph::create(std::move(parts)).value();
  };
  const FeatureMap map = FeatureMap::parse("wide-attributes:2").value();
  EXPECT_EQ(map.width(), 2 * kWideChannels);
  FeatureMap::Scratch scratch;
  NodeSignals signals;
  ASSERT_TRUE(map.signals(graph(0), scratch, signals).ok());
  EXPECT_EQ(signals.width(), 0u);
  ASSERT_TRUE(map.signals(graph(1), scratch, signals).ok());
  const std::size_t of_one = signals.width();
  ASSERT_TRUE(map.signals(graph(2), scratch, signals).ok());
  EXPECT_EQ(signals.width(), 2 * of_one);
  ASSERT_TRUE(map.signals(graph(3), scratch, signals).ok());
  EXPECT_EQ(signals.width(), 2 * of_one);
}

}  // namespace
}  // namespace unscatter
