#include "unscatter/linalg/updatable_cholesky.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

#include "support/random_rows.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

// A positive definite start: I plus a few squares.
Matrix ridge_and_squares(std::uint64_t seed, std::size_t width) {
  const Matrix B = testing::random_matrix(seed, width, 5);
  Matrix A = B * B.transpose();
  A.diagonal().array() += 1;
  return A;
}

TEST(UpdatableCholesky, AnySequenceOfChangesEqualsAFreshFactor) {
  for (const std::size_t width : {1UL, 2UL, 13UL, 60UL}) {
    SCOPED_TRACE(width);
    Matrix A = ridge_and_squares(width, width);
    auto followed = UpdatableCholesky::factorise(A).value();
    Sequence random(width);
    std::vector<std::pair<Vector, double>> added;  // what may be taken away again
    for (std::uint64_t step = 0; step < 200; ++step) {
      Vector x = testing::random_matrix(1000 * width + step, width, 1).col(0);
      double sigma = random.unit();
      if (!added.empty() && random.chance(0.5)) {
        std::tie(x, sigma) = added.back();
        added.pop_back();
        sigma = -sigma;
      } else {
        added.emplace_back(x, sigma);
      }
      A += sigma * x * x.transpose();
      ASSERT_TRUE(followed.update(x, sigma)) << step;
      const Vector right_side = testing::random_matrix(step, width, 1).col(0);
      const Vector solved = followed.solve(right_side);
      const Vector fresh = UpdatableCholesky::factorise(A).value().solve(right_side);
      // A >= I, so that |A| bounds the condition.
      EXPECT_LE((solved - fresh).norm(), 1e-13 * A.norm() * fresh.norm()) << step;
      EXPECT_LE((A * solved - right_side).norm(), 1e-12 * A.norm() * solved.norm()) << step;
    }
  }
}

TEST(UpdatableCholesky, ADowndateThatBreaksDefinitenessIsSaid) {
  const Matrix A = ridge_and_squares(3, 8);
  const Vector x = testing::random_matrix(4, 8, 1).col(0);
  // A - sigma x x^T is definite exactly for sigma < 1 / (x^T A^-1 x).
  const double edge = 1 / x.dot(UpdatableCholesky::factorise(A).value().solve(x));
  for (const double share : {0.5, 0.99, 1 - 1e-9}) {
    EXPECT_TRUE(UpdatableCholesky::factorise(A).value().update(x, -share * edge)) << share;
  }
  for (const double share : {1 + 1e-9, 1.01, 2.0, 1e6}) {
    EXPECT_FALSE(UpdatableCholesky::factorise(A).value().update(x, -share * edge)) << share;
  }
}

TEST(UpdatableCholesky, NothingChangesByNothing) {
  auto factor = UpdatableCholesky::factorise(ridge_and_squares(5, 6)).value();
  const Vector x = testing::random_matrix(6, 6, 1).col(0);
  const Vector before = factor.solve(x);
  EXPECT_TRUE(factor.update(x, 0));
  EXPECT_EQ(factor.solve(x), before);
}

TEST(UpdatableCholesky, RefusesWhatIsNotPositiveDefiniteAndReadsTheLowerTriangle) {
  Matrix A = ridge_and_squares(7, 5);
  const Vector x = Vector::Ones(5);
  const Vector expected = UpdatableCholesky::factorise(A).value().solve(x);
  A(0, 4) = 1e9;  // above the diagonal
  EXPECT_EQ(UpdatableCholesky::factorise(A).value().solve(x), expected);
  A(2, 2) = -1;
  EXPECT_FALSE(UpdatableCholesky::factorise(A).has_value());
}

}  // namespace
}  // namespace unscatter
