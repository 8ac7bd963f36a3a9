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

}  // namespace
}  // namespace unscatter
