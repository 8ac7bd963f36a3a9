#include "service/rate_limit.h"

#include <gtest/gtest.h>

namespace unscatter::service {
namespace {

using namespace std::chrono_literals;
const RateLimit::Clock::time_point kStart{};

TEST(RateLimit, LetsABurstThroughAndThenTheRate) {
  RateLimit limit({2, 4});
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(limit.take("a", kStart).has_value());
  EXPECT_EQ(limit.take("a", kStart), 1);
  EXPECT_FALSE(limit.take("b", kStart).has_value()) << "others have buckets of their own";
  EXPECT_FALSE(limit.take("a", kStart + 500ms).has_value());
  EXPECT_TRUE(limit.take("a", kStart + 500ms).has_value());
  EXPECT_TRUE(limit.take("a", kStart - 10s).has_value()) << "a clock that goes back gives nothing";
}

TEST(RateLimit, LookingTakesNothing) {
  RateLimit limit({0.1, 1});
  EXPECT_FALSE(limit.look("a", kStart).has_value());
  EXPECT_FALSE(limit.take("a", kStart).has_value());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(limit.look("a", kStart), 10);
  EXPECT_FALSE(limit.look("a", kStart + 11s).has_value());
}

TEST(RateLimit, MemoryIsBounded) {
  RateLimit limit({1, 1}, 100);
  for (int i = 0; i < 10000; ++i) static_cast<void>(limit.take(std::to_string(i), kStart));
  EXPECT_LE(limit.names(), 101U);
  EXPECT_TRUE(limit.take("somebody new", kStart).has_value()) << "those beyond the bound share one bucket";
  EXPECT_FALSE(limit.take("somebody new", kStart + 10s).has_value()) << "full buckets are dropped";
}

TEST(RateLimit, ZeroIsNoLimit) {
  RateLimit limit({0, 1});
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limit.take("a", kStart).has_value());
}

}  // namespace
}  // namespace unscatter::service
