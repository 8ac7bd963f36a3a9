#include "unscatter/privacy/composition.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

namespace unscatter {
namespace {

TEST(ReleaseComposition, CoversTheSumInHigherPrecision) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned>& seeds) {
    std::vector<double> shifts;
    long double sum = 0;
    for (const unsigned seed : seeds) {
      shifts.push_back(std::exp(static_cast<int>(seed % 60000) / 1000.0 - 40));
      sum += static_cast<long double>(shifts.back()) * shifts.back();
    }
    const double total = composed_shift_upper_bound(shifts).value();
    RC_ASSERT(total >= std::sqrt(sum) * (1 - 1e-17L));
    RC_ASSERT(total <= std::sqrt(sum) * (1 + 2e-15L) + 1e-150L);
  }));
}

// Many small releases after a large one: each alone is below the last digit of the total, together they are not.
TEST(ReleaseComposition, SmallReleasesAreNeitherLostNorRoundedUpEachTime) {
  ReleaseComposition composition;
  ASSERT_TRUE(composition.add(1).ok());
  constexpr int kReleases = 200000;
  for (int i = 0; i < kReleases; ++i) ASSERT_TRUE(composition.add(1e-9).ok());
  const long double exact = std::sqrt(1 + kReleases * (1e-9L * 1e-9L));
  EXPECT_GE(composition.shift_upper_bound(), exact);
  EXPECT_LE(composition.shift_upper_bound(), exact * (1 + 2e-15L));
  EXPECT_EQ(composition.release_count(), kReleases + 1u);
}

TEST(ReleaseComposition, Edges) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ReleaseComposition composition;
  EXPECT_EQ(composition.shift_upper_bound(), 0);
  ASSERT_TRUE(composition.add(0).ok());
  EXPECT_EQ(composition.shift_upper_bound(), 0);
  // Squares that underflow still count for something.
  ASSERT_TRUE(composition.add(1e-170).ok());
  EXPECT_GE(composition.shift_upper_bound(), 1e-170);
  EXPECT_LE(composition.shift_upper_bound(), 1e-160);
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(composition.add(bad).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(composition.release_count(), 2u);
  ASSERT_TRUE(composition.add(1e200).ok());
  EXPECT_EQ(composition.shift_upper_bound(), kInfinity);
  ASSERT_TRUE(composition.add(1).ok());
  ASSERT_TRUE(composition.add(kInfinity).ok());
  EXPECT_EQ(composition.shift_upper_bound(), kInfinity);
}

}  // namespace
}  // namespace unscatter
