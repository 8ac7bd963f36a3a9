#include "store/row_total.h"

#include <gtest/gtest.h>

#include <vector>

namespace unscatter {
namespace {

Digest seal_number(std::uint64_t number) { return Hasher().add(number).finish(); }

TEST(RowTotal, DependsOnTheRowsAndNotOnTheirOrder) {
  RowTotal one;
  RowTotal other;
  for (std::uint64_t i = 0; i < 20; ++i) one.add(seal_number(i));
  for (std::uint64_t i = 20; i > 0; --i) other.add(seal_number(i - 1));
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.digest(), other.digest());
}

TEST(RowTotal, WhatIsTakenOutIsAsIfItHadNeverBeenThere) {
  RowTotal total;
  total.add(seal_number(1));
  const RowTotal before = total;
  total.add(seal_number(2));
  EXPECT_NE(total.digest(), before.digest());
  total.subtract(seal_number(2));
  EXPECT_EQ(total, before);
}

// A sum without the number of rows would take 65,536 copies of a row for none.
TEST(RowTotal, CountsCopies) {
  RowTotal total;
  for (int i = 0; i < 65536; ++i) total.add(seal_number(1));
  EXPECT_EQ(total.lanes, RowTotal().lanes);
  EXPECT_EQ(total.rows, 65536);
  EXPECT_NE(total, RowTotal());
}

}  // namespace
}  // namespace unscatter
