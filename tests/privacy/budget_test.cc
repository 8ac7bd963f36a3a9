#include "unscatter/privacy/budget.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/int128.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

ExactAmount decimal(std::string_view text) { return ExactAmount::parse(text).value(); }

TEST(Budget, TenTenthsFitExactly) {
  Budget budget(decimal("1"));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(budget.spend(decimal("0.1")).ok()) << i;
  EXPECT_EQ(budget.remaining(), ExactAmount());
  EXPECT_EQ(budget.spend(decimal("1e-1080")).error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(budget.spend(ExactAmount()).ok());
  EXPECT_EQ(budget.spent(), decimal("1"));
}

// The double 0.1 is more than a tenth: the tenth time is one too many, although a sum of doubles says
// 0.9999999999999999.
TEST(Budget, TheDoubleIsTakenAtItsWord) {
  Budget budget = Budget::with_limit(1).value();
  double naive = 0;
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(budget.spend(0.1).ok());
    naive += 0.1;
  }
  EXPECT_LT(naive + 0.1, 1);
  EXPECT_EQ(budget.spend(0.1).error().code, ErrorCode::kLimitExceeded);
}

// The other way round: the doubles' true sum is 1, and rounding on the way must not say 1.0000000000000002.
TEST(Budget, WhatFitsIsNotRefused) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    // Cut 1 into doubles that sum to it exactly: multiples of 2^-53.
    Budget budget = Budget::with_limit(1).value();
    std::uint64_t left = std::uint64_t{1} << 53;
    while (left != 0) {
      const std::uint64_t piece = 1 + random.below(left);
      ASSERT_TRUE(budget.spend(std::ldexp(static_cast<double>(piece), -53)).ok());
      left -= piece;
    }
    EXPECT_EQ(budget.remaining(), ExactAmount());
    EXPECT_FALSE(budget.spend(5e-324).ok());
  }
  // 0.7 + 0.1 + 0.2 in doubles: decided by the true values, which are below 1 here.
  Budget budget = Budget::with_limit(1).value();
  for (const double part : {0.7, 0.1, std::nextafter(0.2, 0.0)}) EXPECT_TRUE(budget.spend(part).ok());
}

// Against 128-bit integers: amounts are multiples of 2^-60, and every decision agrees.
TEST(Budget, DecidesAsWideIntegersDo) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const std::uint64_t limit = random.below(std::uint64_t{1} << 53);
    const int limit_exponent = -static_cast<int>(random.below(30));
    Budget budget = Budget::with_limit(std::ldexp(static_cast<double>(limit), limit_exponent)).value();
    Uint128 left = static_cast<Uint128>(limit) << (limit_exponent + 60);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t mantissa = random.below(std::uint64_t{1} << (1 + random.below(53)));
      const int exponent = -static_cast<int>(random.below(61));
      const Uint128 asked = static_cast<Uint128>(mantissa) << (exponent + 60);
      const bool spent = budget.spend(std::ldexp(static_cast<double>(mantissa), exponent)).ok();
      ASSERT_EQ(spent, asked <= left);
      if (spent) left -= asked;
    }
    const auto high = static_cast<std::uint64_t>(left >> 60);
    const auto low = static_cast<std::uint64_t>(left & ((Uint128{1} << 60) - 1));
    const auto part = [](std::uint64_t value, int exponent) {
      const auto top = static_cast<double>(value >> 30);
      const auto bottom = static_cast<double>(value & ((1u << 30) - 1));
      return ExactAmount::from_double(std::ldexp(top, exponent + 30)).value() +
             ExactAmount::from_double(std::ldexp(bottom, exponent)).value();
    };
    EXPECT_EQ(budget.remaining(), part(high, 0) + part(low, -60));
  }
}

TEST(Budget, ManyTinySpendsAddUp) {
  Budget budget(decimal("1"));
  ASSERT_TRUE(budget.spend(decimal("0.9999")).ok());
  // Each alone vanishes beside 0.9999 in double precision; 10^-20 is one of 10^16 that fit.
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(budget.spend(decimal("1e-20")).ok());
  EXPECT_EQ(budget.spent(), decimal("0.9999000000000001"));
  EXPECT_EQ(budget.remaining(), decimal("0.0000999999999999"));
}

TEST(Budget, AdversarialMagnitudes) {
  Budget budget = Budget::with_limit(1e16).value();
  ASSERT_TRUE(budget.spend(9999999999999998.0).ok());
  ASSERT_TRUE(budget.spend(1.5).ok());  // a double sum would round to the limit
  EXPECT_TRUE(budget.spend(0.5).ok());
  EXPECT_FALSE(budget.spend(5e-324).ok());  // and would never notice this
  Budget large = Budget::with_limit(1.7976931348623157e308).value();
  ASSERT_TRUE(large.spend(1e308).ok());
  EXPECT_FALSE(large.spend(1e308).ok());  // a double sum would be infinite
  EXPECT_TRUE(large.spend(5e-324).ok());
}

TEST(Budget, ARefusalChangesNothing) {
  Budget budget(decimal("0.5"));
  ASSERT_TRUE(budget.spend(decimal("0.3")).ok());
  const Status refused = budget.spend(decimal("0.2000000001"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_FALSE(budget.spend(-0.1).ok());
  EXPECT_FALSE(budget.spend(std::nan("")).ok());
  EXPECT_EQ(budget.spent(), decimal("0.3"));
  EXPECT_EQ(budget.limit(), decimal("0.5"));
  EXPECT_TRUE(budget.spend(decimal("0.2")).ok());
  EXPECT_FALSE(Budget::with_limit(-1).ok());
}

}  // namespace
}  // namespace unscatter
