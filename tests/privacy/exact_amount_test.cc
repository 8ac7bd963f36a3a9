#include "unscatter/privacy/exact_amount.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "privacy/int128.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

ExactAmount amount(double value) { return ExactAmount::from_double(value).value(); }
ExactAmount amount(std::string_view text) { return ExactAmount::parse(text).value(); }

// Any finite double that is not negative, every exponent equally likely.
double any_double(Sequence& random) {
  return std::bit_cast<double>(random.below(2047) << 52 | random.below(std::uint64_t{1} << 52));
}

TEST(ExactAmount, DoublesComeBackAsTheyAre) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const double value = any_double(random);
    const ExactAmount exact = amount(value);
    EXPECT_TRUE(exact.double_lower_bound() == value);
    EXPECT_TRUE(exact.double_upper_bound() == value);
    EXPECT_TRUE(amount(exact.to_string()) == exact);
  }
}

TEST(ExactAmount, OrderIsThatOfTheDoubles) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const double a = any_double(random);
    const double b = any_double(random);
    EXPECT_TRUE((amount(a) < amount(b)) == (a < b));
    EXPECT_TRUE((amount(a) == amount(b)) == (a == b));
    EXPECT_TRUE(amount(std::nextafter(a, 0.0)) <= amount(a));
  }
}

// Against 128-bit integers: doubles m 2^e with e in a range where everything is a multiple of 2^-60.
TEST(ExactAmount, SumsAgreeWithWideIntegers) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    Uint128 expected = 0;
    ExactAmount sum;
    const std::uint64_t terms = 1 + random.below(40);
    for (std::uint64_t i = 0; i < terms; ++i) {
      const std::uint64_t mantissa = random.below(std::uint64_t{1} << 53);
      const int exponent = -static_cast<int>(random.below(61));
      sum = sum + amount(std::ldexp(static_cast<double>(mantissa), exponent));
      expected += static_cast<Uint128>(mantissa) << (exponent + 60);
    }
    // expected 2^-60 = high + low 2^-60; both parts are exact as doubles in two halves.
    ExactAmount rebuilt;
    for (int bit = 0; bit < 128; ++bit) {
      if ((expected >> bit & 1) != 0) rebuilt = rebuilt + amount(std::ldexp(1.0, bit - 60));
    }
    EXPECT_TRUE(sum == rebuilt);
  }
}

TEST(ExactAmount, DifferencesUndoSums) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const ExactAmount a = amount(any_double(random));
    const ExactAmount b = amount(any_double(random));
    EXPECT_TRUE((a + b) - b == a);
    EXPECT_TRUE((a + b) - a == b);
    EXPECT_TRUE(a + b == b + a);
  }
}

TEST(ExactAmount, NothingIsLostBetweenTheExtremes) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const ExactAmount sum = amount(largest) + amount(smallest);
  EXPECT_GT(sum, amount(largest));
  EXPECT_EQ(sum - amount(largest), amount(smallest));
  EXPECT_EQ(sum.double_lower_bound(), largest);
  EXPECT_TRUE(std::isinf(sum.double_upper_bound()));
  EXPECT_EQ((amount(largest) + amount(largest)).double_lower_bound(), largest);
}

TEST(ExactAmount, DecimalsAreTakenAsWritten) {
  EXPECT_EQ(amount("0.1").to_string(), "0.1");
  EXPECT_EQ(amount("0").to_string(), "0");
  EXPECT_EQ(amount("00012.3400").to_string(), "12.34");
  EXPECT_EQ(amount(".5"), amount(0.5));
  EXPECT_EQ(amount("5."), amount(5.0));
  EXPECT_EQ(amount("1e-4").to_string(), "0.0001");
  EXPECT_EQ(amount("2.5E+3").to_string(), "2500");
  EXPECT_EQ(amount("123456789012345678901234567890").to_string(), "123456789012345678901234567890");
  EXPECT_EQ(amount("1e-1080") + amount("1e-1080"), amount("2e-1080"));
  EXPECT_EQ(amount(0.1).to_string(), "0.1000000000000000055511151231257827021181583404541015625");
  // The double is above the decimal, as its digits say; 0.3 is below.
  EXPECT_GT(amount(0.1), amount("0.1"));
  EXPECT_LT(amount(0.3), amount("0.3"));
}

TEST(ExactAmount, RoundsToTheAskedSide) {
  EXPECT_EQ(amount("0.1").double_upper_bound(), 0.1);
  EXPECT_EQ(amount("0.1").double_lower_bound(), std::nextafter(0.1, 0.0));
  EXPECT_EQ(amount("0.3").double_lower_bound(), 0.3);
  EXPECT_EQ(amount("1e-1000").double_lower_bound(), 0);
  EXPECT_EQ(amount("1e-1000").double_upper_bound(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(amount("9e308").double_lower_bound(), std::numeric_limits<double>::max());
}

TEST(ExactAmount, RefusesWhatItCannotHold) {
  for (const char* text :
       {"",      ".",    "-1",  "+1",  " 1",  "1 ",    "1e",      "1e+",           "1e+-3",          "e5",
        "1.2.3", "0x10", "nan", "inf", "1,5", "1e309", "1e-1081", "1e99999999999", "1e-99999999999", "9999999e303"}) {
    const auto parsed = ExactAmount::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(ExactAmount::parse("0e99999").ok());  // zero, however it is written
  for (const double value :
       {-1.0, -1e-320, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(ExactAmount::from_double(value).ok());
  }
  EXPECT_EQ(amount(-0.0), ExactAmount());
  EXPECT_THROW(amount(1.0) - amount(2.0), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
