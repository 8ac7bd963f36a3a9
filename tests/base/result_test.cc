#include "unscatter/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace unscatter {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return Error{ErrorCode::kInvalidArgument, std::to_string(value) + " is odd"};
  return value / 2;
}

Result<int> quarter(int value) {
  UNSCATTER_TRY(once, half(value));
  return half(once);
}

Status check_even(int value) {
  UNSCATTER_CHECK_OK(half(value));
  return ok_status();
}

TEST(Result, CarriesValueOrError) {
  EXPECT_EQ(half(8).value(), 4);
  ASSERT_FALSE(half(3).ok());
  EXPECT_EQ(half(3).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(half(3).error().message, "3 is odd");
}

TEST(Result, TryLeavesWithTheFirstError) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_TRUE(check_even(2).ok());
  EXPECT_EQ(check_even(5).error().message, "5 is odd");
}

TEST(Result, WrongSideIsABrokenInvariant) {
  EXPECT_THROW((void)half(3).value(), InvariantViolation);
  EXPECT_THROW((void)half(4).error(), InvariantViolation);
}

TEST(Result, HoldsMoveOnlyValuesAndErrorsOfTheSameTypeAsValues) {
  Result<std::unique_ptr<int>> owned = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(owned).value();
  EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace unscatter
