#include "unscatter/learn/predict.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"
#include "unscatter/base/invariant.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_rows;

TEST(Predict, IsTheClassOfLargestScore) {
  const LabelledRows data = random_rows(1, {.rows = 50, .columns = 20, .classes = 4});
  const Matrix W = random_matrix(2, 20, 4);
  const Matrix scores = data.rows.to_dense() * W;
  const std::vector<std::uint32_t> classes = predict(data.rows, W);
  ASSERT_EQ(classes.size(), 50U);
  std::size_t right = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    Eigen::Index best = 0;
    scores.row(static_cast<Eigen::Index>(i)).maxCoeff(&best);
    EXPECT_EQ(classes[i], best);
    EXPECT_EQ(predict(data.rows.row(i), W), best);
    right += classes[i] == data.labels[i] ? 1U : 0U;
  }
  EXPECT_EQ(accuracy(data.rows, data.labels, W), static_cast<double>(right) / 50);
}

TEST(Predict, TiesGoToTheFirstClass) {
  const LabelledRows data = random_rows(1, {.rows = 6, .columns = 5, .classes = 3});
  Matrix W = random_matrix(2, 5, 3);
  W.col(2) = W.col(1);
  for (const std::uint32_t k : predict(data.rows, W)) EXPECT_NE(k, 2U);
  for (const std::uint32_t k : predict(data.rows, Matrix::Zero(5, 3))) EXPECT_EQ(k, 0U);
  EXPECT_EQ(predict(BlockRow{}, W), 0U);
}

TEST(Predict, DefinedForOneClassAndForNoRows) {
  const LabelledRows data = random_rows(1, {.rows = 6, .columns = 5, .classes = 1});
  EXPECT_EQ(accuracy(data.rows, data.labels, random_matrix(1, 5, 1)), 1);
  EXPECT_EQ(accuracy(SparseBlockRows(0, 5), {}, random_matrix(1, 5, 1)), 0);
  EXPECT_THROW((void)predict(data.rows, Matrix(5, 0)), InvariantViolation);
  EXPECT_THROW((void)accuracy(data.rows, {}, random_matrix(1, 5, 1)), InvariantViolation);
}

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
