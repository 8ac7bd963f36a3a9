#include "learn/unseen_rows.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"

namespace unscatter {
namespace {

using testing::random_row;

TEST(UnseenRows, KnowWhatARowWasBeforeItsFirstChange) {
  UnseenRows unseen;
  EXPECT_TRUE(unseen.empty());
  unseen.note(7, random_row(1, 5));
  unseen.note(2, random_row(2, 5));
  unseen.note(7, random_row(3, 5));  // changed again: what was known stays the first one
  ASSERT_EQ(unseen.known().size(), 2U);
  EXPECT_EQ(unseen.known().begin()->first, 2U);  // ascending
  EXPECT_EQ(unseen.known().at(7), random_row(1, 5));
  unseen.clear();
  EXPECT_TRUE(unseen.empty());
}

TEST(UnseenRows, ARowThatIsAgainWhatItWasNeedsNoFollowing) {
  SparseBlockRows rows(0, 5);
  for (std::size_t i = 0; i < 3; ++i) rows.append_row(random_row(i, 5));
  UnseenRows unseen;
  for (std::size_t i = 0; i < 2; ++i) unseen.note(i, rows.row(i));
  rows.set_row(1, random_row(99, 5));
  unseen.settle(rows);
  ASSERT_EQ(unseen.known().size(), 1U);
  EXPECT_EQ(unseen.known().begin()->first, 1U);
}

TEST(UnseenRows, ALabelThatChangedHasToBeFollowedToo) {
  SparseBlockRows rows(0, 5);
  for (std::size_t i = 0; i < 3; ++i) rows.append_row(random_row(i, 5));
  UnseenRows unseen;
  for (std::size_t i = 0; i < 3; ++i) unseen.note(i, rows.row(i), 1);
  const std::vector<std::uint32_t> labels = {1, 2, 1};
  unseen.settle(rows, labels);
  ASSERT_EQ(unseen.known().size(), 1U);
  EXPECT_EQ(unseen.known().begin()->first, 1U);
  EXPECT_EQ(unseen.label(1), 1U);
  EXPECT_FALSE(unseen.label(0).has_value());
  unseen.clear();
  EXPECT_FALSE(unseen.label(1).has_value());
}

}  // namespace
}  // namespace unscatter
