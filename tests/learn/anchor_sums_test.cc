// The sums of an anchor do not depend on who adds them up, and they are what the fast factor is made of.
#include "learn/anchor_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "learn/fast_factor.h"
#include "linalg/row_products.h"
#include "support/random_rows.h"

namespace unscatter {
namespace {

void expect_same_numbers(const KeptCurvature& one, const KeptCurvature& other) {
  EXPECT_EQ(one.anchor, other.anchor);
  EXPECT_EQ(one.square, other.square);
  ASSERT_EQ(one.hessians.size(), other.hessians.size());
  for (std::size_t k = 0; k < one.hessians.size(); ++k) EXPECT_EQ(one.hessians[k], other.hessians[k]) << k;
  EXPECT_EQ(one.ridge, other.ridge);
  EXPECT_EQ(one.largest_ridge, other.largest_ridge);
  EXPECT_EQ(one.spectral_square, other.spectral_square);
  EXPECT_EQ(one.frobenius_square, other.frobenius_square);
  EXPECT_EQ(one.row_norm, other.row_norm);
  EXPECT_EQ(one.roundings, other.roundings);
}

SparseBlockRows rows_between(const SparseBlockRows& Z, std::size_t first, std::size_t last) {
  SparseBlockRows some(0, Z.columns());
  for (std::size_t i = first; i < last; ++i) some.append_row(Z.row(i));
  return some;
}

// As a reader of a file adds them: one block of rows after the other, part by part.
KeptCurvature added_in_blocks(const Objective& objective, const Matrix& weights, std::size_t block) {
  const SparseBlockRows& Z = objective.rows();
  AnchorSums total(objective.loss(), weights);
  for (std::size_t part = 0; part < Z.rows(); part += kSquarePartRows) {
    AnchorSums sums(objective.loss(), weights);
    const std::size_t end = std::min(part + kSquarePartRows, Z.rows());
    for (std::size_t first = part; first < end; first += block) {
      const std::size_t last = std::min(first + block, end);
      sums.add(rows_between(Z, first, last), objective.labels().subspan(first, last - first));
    }
    total.join(sums);
  }
  return total.finish(objective.ridge(), Z.rows());
}

TEST(AnchorSums, DoNotDependOnBlocksOrThreads) {
  for (const std::size_t rows : {std::size_t{300}, kSquarePartRows + 1000}) {
    SCOPED_TRACE(rows);
    const testing::LabelledRows data = testing::random_rows(1, {.rows = rows, .columns = 7, .classes = 3});
    const Matrix weights = testing::random_matrix(2, 7, 3);
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.5);
    const KeptCurvature expected = FastFactor::anchor(objective, weights).value().numbers();
    expect_same_numbers(added_in_blocks(objective, weights, kLeafRows), expected);
    expect_same_numbers(added_in_blocks(objective, weights, 3 * kLeafRows), expected);
    const Objective two_threads(data.rows, data.labels, 3, Loss::logistic(), 0.5, nullptr, 2);
    expect_same_numbers(FastFactor::anchor(two_threads, weights).value().numbers(), expected);
  }
}

// Blocks that are cut elsewhere are another order of sums.  The test above would notice.
TEST(AnchorSums, OtherBlocksAreAnotherSum) {
  const testing::LabelledRows data = testing::random_rows(1, {.rows = 300, .columns = 7, .classes = 3});
  const Matrix weights = testing::random_matrix(2, 7, 3);
  const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.5);
  EXPECT_NE(added_in_blocks(objective, weights, 50).square,
            FastFactor::anchor(objective, weights).value().numbers().square);
}

// One Hessian serves two classes that mirror each other, whatever the loss, and it is the one that each would have.
TEST(AnchorSums, MirroredClassesShareTheirHessian) {
  const testing::LabelledRows data = testing::random_rows(3, {.rows = 200, .columns = 6, .classes = 2});
  Matrix weights = testing::random_matrix(4, 6, 2);
  for (const Loss& loss : {Loss::logistic(), Loss::squared()}) {
    for (const bool mirrored : {true, false}) {
      if (mirrored) weights.col(1) = -weights.col(0);
      if (!mirrored) weights(0, 1) += 1e-9;
      const Objective objective(data.rows, data.labels, 2, loss, 0.5);
      const KeptCurvature kept = added_in_blocks(objective, weights, kLeafRows);
      const Matrix curvatures = objective.curvatures(objective.margins(weights));
      // With the squared loss one Hessian is that of all classes.
      ASSERT_EQ(kept.hessians.size(), loss.curvature_lipschitz() == 0 ? 1u : 2u);
      for (std::size_t k = 0; k < kept.hessians.size(); ++k) {
        Matrix expected = weighted_square(data.rows, curvatures.col(static_cast<Eigen::Index>(k)));
        expected.diagonal().array() += 0.5;
        EXPECT_EQ(kept.hessians[k], expected) << loss.describe() << ' ' << k;
      }
    }
  }
}

TEST(AnchorSums, BoundsAreAboveWhatTheyBound) {
  const testing::LabelledRows data = testing::random_rows(5, {.rows = 150, .columns = 6, .classes = 2, .row_norm = 3});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.5);
  const KeptCurvature kept = added_in_blocks(objective, testing::random_matrix(6, 6, 2), kLeafRows);
  const Matrix dense = data.rows.to_dense();
  EXPECT_GE(kept.frobenius_square, dense.squaredNorm());
  EXPECT_LE(kept.frobenius_square, 1.001 * dense.squaredNorm());
  EXPECT_GE(kept.row_norm, dense.rowwise().norm().maxCoeff());
  Vector direction = Vector::Ones(6);
  for (int step = 0; step < 50; ++step) direction = (dense.transpose() * (dense * direction)).normalized();
  EXPECT_GE(kept.spectral_square, (1 - 1e-12) * (dense * direction).squaredNorm());
}

}  // namespace
}  // namespace unscatter
