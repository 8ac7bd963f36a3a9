#include "linalg/compact_rows.h"

#include <gtest/gtest.h>

#include "linalg/row_pass.h"
#include "support/random_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using testing::random_matrix;
using testing::random_row;

// Sparse rows, some of them empty, in `used` of the columns only.
SparseBlockRows short_segments(std::size_t n, std::size_t d, std::size_t used) {
  SparseBlockRows Z(0, d);
  for (std::size_t i = 0; i < n; ++i) Z.append_row(i % 7 == 3 ? BlockRow{} : random_row(i, used, 0.3));
  return Z;
}

TEST(CompactRows, ProductsAreThoseOfTheRows) {
  for (const std::size_t n : {1U, 40U, 3000U}) {
    for (const std::size_t K : {1U, 3U}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << K << " columns");
      const SparseBlockRows Z = short_segments(n, 150, 90);
      const CompactRows compact(Z);
      EXPECT_LE(compact.columns(), 90U);
      const Matrix weights = random_matrix(1, n, K);
      const Matrix X = random_matrix(2, 150, K);
      const Matrix expected = weighted_square_product(Z, weights, X);
      const Matrix found = compact.weighted_square_product(weights, compact.gathered(X));
      Matrix spread = Matrix::Zero(150, static_cast<Eigen::Index>(K));
      compact.spread(found, spread);
      EXPECT_LE((spread - expected).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
      EXPECT_EQ(compact.weighted_square_product(weights, compact.gathered(X), 3), found);
    }
  }
}

TEST(CompactRows, PayWhereSegmentsAreShort) {
  EXPECT_TRUE(CompactRows::pay(short_segments(50, 100, 80)));
  SparseBlockRows dense(0, 100);
  for (std::size_t i = 0; i < 50; ++i) dense.append_row(random_row(i, 100, 1));
  EXPECT_FALSE(CompactRows::pay(dense));
}

TEST(CompactRows, RefuseFactorsThatDoNotFit) {
  const SparseBlockRows Z = short_segments(10, 20, 20);
  const CompactRows compact(Z);
  EXPECT_THROW((void)compact.weighted_square_product(Matrix::Zero(9, 1), Matrix::Zero(20, 1)), InvariantViolation);
  EXPECT_THROW((void)compact.weighted_square_product(Matrix::Zero(10, 2), Matrix::Zero(20, 1)), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
