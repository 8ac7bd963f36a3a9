#include "unscatter/graph/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace unscatter {
namespace {

TEST(RandomSplit, PartsAreDisjointAndCoverEverything) {
  const Split split = random_split(1000, {}, 7).value();
  EXPECT_EQ(split.train.size(), 100u);
  EXPECT_EQ(split.validation.size(), 100u);
  EXPECT_EQ(split.test.size(), 800u);
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
}

TEST(RandomSplit, SeedDecidesAndNothingElse) {
  EXPECT_EQ(random_split(50, {}, 3)->train, random_split(50, {}, 3)->train);
  EXPECT_NE(random_split(50, {}, 3)->test, random_split(50, {}, 4)->test);
  // A value that any conforming machine must print: mt19937_64 and the rejection rule are fixed.
  EXPECT_EQ(random_split(10, {0.5, 0.2, 0.3}, 1)->train, (std::vector<std::size_t>{1, 7, 3, 9, 4}));
}

TEST(RandomSplit, RoundingNeverTakesMoreThanThereIs) {
  for (std::size_t count = 0; count < 40; ++count) {
    const Split split = random_split(count, {0.5, 0.5, 0.0}, 1).value();
    EXPECT_EQ(split.train.size() + split.validation.size(), count);
    EXPECT_TRUE(split.test.empty());
  }
}

TEST(RandomSplit, RefusesImpossibleShares) {
  EXPECT_EQ(random_split(10, {-0.1, 0.5, 0.5}, 1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(random_split(10, {0.6, 0.3, 0.2}, 1).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
