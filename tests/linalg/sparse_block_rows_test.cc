#include "unscatter/linalg/sparse_block_rows.h"

#include <gtest/gtest.h>

#include <cmath>

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
