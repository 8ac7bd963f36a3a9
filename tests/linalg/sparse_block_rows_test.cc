#include "unscatter/linalg/sparse_block_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

BlockRow example_row() {
  BlockRow row;
  double* first = row.append(1, 2);
  first[0] = 1;
  first[1] = 2;
  row.append(3, 1)[0] = 3;  // joins the segment before it
  double* second = row.append(6, 2);
  second[0] = 4;
  second[1] = 5;
  return row;
}

TEST(BlockRow, NeighbouringColumnsJoin) {
  const BlockRow row = example_row();
  EXPECT_EQ(row.segments, (std::vector<Segment>{{1, 3}, {6, 2}}));
  EXPECT_EQ(row.values, (std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(BlockRow, AppendsAnotherRowFurtherRight) {
  BlockRow row = example_row();
  row.append_shifted(example_row(), 7);  // its first column, 8, continues the last segment
  EXPECT_EQ(row.segments, (std::vector<Segment>{{1, 3}, {6, 5}, {13, 2}}));
  EXPECT_EQ(row.values, (std::vector<double>{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}));
}

TEST(SparseBlockRows, DenseFormAndNorm) {
  SparseBlockRows rows(2, 9);
  rows.set_row(1, example_row());
  RowMatrix expected = RowMatrix::Zero(2, 9);
  expected.row(1) << 0, 1, 2, 3, 0, 0, 4, 5, 0;
  EXPECT_EQ(rows.to_dense(), expected);
  EXPECT_DOUBLE_EQ(rows.row_norm(1), std::sqrt(55.0));
  EXPECT_EQ(rows.row_norm(0), 0);
  EXPECT_EQ(rows.stored_values(), 5u);
}

// By exchange, not by copy: the caller then holds the only copy of the old values, and can overwrite them.
TEST(SparseBlockRows, SwappingARowHandsOutTheOldOneAndCopiesNothing) {
  SparseBlockRows rows(3, 9);
  rows.set_row(1, example_row());
  BlockRow other;
  other.append(0, 1)[0] = 7;
  const BlockRow replacement = other;
  const double* const old_values = rows.row(1).values.data();
  const double* const new_values = other.values.data();
  rows.swap_row(1, other);
  EXPECT_EQ(other, example_row());
  EXPECT_EQ(rows.row(1), replacement);
  EXPECT_EQ(other.values.data(), old_values);
  EXPECT_EQ(rows.row(1).values.data(), new_values);
  rows.swap_row(1, other);  // and back
  EXPECT_EQ(rows.row(1), example_row());
  EXPECT_TRUE(rows.row(0).values.empty() && rows.row(2).values.empty());
}

// Norm, depth and the number of stored values are kept beside the rows; whatever puts a row there must renew them.
TEST(SparseBlockRows, WhatIsKnownAboutARowFollowsIt) {
  SparseBlockRows rows(2, 9);
  const auto expect_known = [&rows] {
    std::size_t stored = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      EXPECT_DOUBLE_EQ(rows.row_norm(i), norm(rows.row(i))) << i;
      EXPECT_EQ(rows.row_product_depth(i), rows.row(i).values.empty() && i == 0 ? 0 : product_depth(rows.row(i))) << i;
      stored += rows.row(i).values.size();
    }
    EXPECT_EQ(rows.stored_values(), stored);
  };
  rows.set_row(1, example_row());
  expect_known();
  rows.append_row(example_row());
  rows.append_row({});
  expect_known();
  BlockRow other;
  other.append(4, 3)[1] = -8;
  rows.swap_row(2, other);
  expect_known();
  rows.swap_row(1, other);
  rows.set_row(3, other);
  expect_known();
  rows.set_row(2, {});
  expect_known();
}

TEST(SparseBlockRows, ASwapThatIsRefusedChangesNeitherSide) {
  SparseBlockRows rows(2, 9);
  rows.set_row(0, example_row());
  BlockRow too_wide;
  too_wide.append(9, 1)[0] = 1;
  const BlockRow as_given = too_wide;
  EXPECT_THROW(rows.swap_row(0, too_wide), InvariantViolation);
  BlockRow good = example_row();
  EXPECT_THROW(rows.swap_row(2, good), std::out_of_range);
  EXPECT_EQ(rows.row(0), example_row());
  EXPECT_EQ(too_wide, as_given);
  EXPECT_EQ(good, example_row());
}

TEST(SparseBlockRows, RowsThatDoNotFitAreRefused) {
  SparseBlockRows rows(1, 7);
  EXPECT_THROW(rows.set_row(0, example_row()), InvariantViolation);  // column 7 of 7
  BlockRow descending;
  descending.segments = {{4, 1}, {1, 1}};
  descending.values = {1, 2};
  EXPECT_THROW(rows.append_row(descending), InvariantViolation);
  BlockRow short_of_values;
  short_of_values.segments = {{0, 3}};
  short_of_values.values = {1};
  EXPECT_THROW(rows.append_row(short_of_values), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
