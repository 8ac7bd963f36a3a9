#include "unscatter/learn/bias.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_rows;

TEST(WithBias, AddsAColumnOfOnes) {
  LabelledRows data = random_rows(3, {.rows = 8, .columns = 9});
  data.rows.set_row(4, {});
  const SparseBlockRows wider = with_bias(data.rows);
  ASSERT_EQ(wider.columns(), 10U);
  const Matrix dense = wider.to_dense();
  EXPECT_EQ(dense.leftCols(9), Matrix(data.rows.to_dense()));
  EXPECT_EQ(dense.col(9), Vector::Ones(8));
  EXPECT_EQ(with_bias(data.rows.row(2), 9), wider.row(2));
}

// Points on one half-line, classes cut in its middle: without a bias every hyperplane passes the origin and sees one
// side only.
TEST(WithBias, FitsShiftedData) {
  SparseBlockRows rows(0, 1);
  std::vector<std::uint32_t> labels;
  for (int i = 0; i < 40; ++i) {
    BlockRow row;
    *row.append(0, 1) = 1 + i / 10.0;
    rows.append_row(row);
    labels.push_back(i < 20 ? 0 : 1);
  }
  const auto fit = [&](const SparseBlockRows& Z) {
    const Objective objective(Z, labels, 2, Loss::logistic(), 1e-3);
    return accuracy(Z, labels, train(objective).value().weights);
  };
  EXPECT_LE(fit(rows), 0.6);
  EXPECT_GE(fit(with_bias(rows)), 0.95);
}

}  // namespace
}  // namespace unscatter
