#include "linalg/cholesky.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/random_rows.h"

namespace unscatter {
namespace {

using testing::random_matrix;

TEST(Cholesky, FactorTimesItsTransposeIsTheMatrixAndSolvesInvertIt) {
  for (const std::size_t n : {1UL, 2UL, 17UL, 150UL}) {
    SCOPED_TRACE(n);
    const Matrix B = random_matrix(n, n, n);
    Matrix A = B * B.transpose();
    A.diagonal().array() += 1;
    Matrix L = A;
    ASSERT_TRUE(cholesky_in_place(L));
    EXPECT_EQ(Matrix(L.triangularView<Eigen::StrictlyUpper>()), Matrix(A.triangularView<Eigen::StrictlyUpper>()));
    const Matrix lower = L.triangularView<Eigen::Lower>();
    EXPECT_LE((lower * lower.transpose() - A).norm(), 1e-13 * A.norm());

    const Vector x = random_matrix(7, n, 1).col(0);
    Vector solved = A * x;
    cholesky_solve_in_place(L, solved);
    EXPECT_LE((solved - x).norm(), 1e-13 * A.norm() * x.norm());

    Matrix columns(solved.size(), 3);
    columns << A * x, 2 * (A * x), Vector::Zero(x.size());
    cholesky_solve_in_place(L, columns);
    EXPECT_EQ(Vector(columns.col(0)), solved);
    EXPECT_LE((columns.col(1) - 2 * x).norm(), 2e-13 * A.norm() * x.norm());
    EXPECT_EQ(columns.col(2).norm(), 0);
  }
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  Matrix indefinite = Matrix::Identity(5, 5);
  indefinite(3, 3) = -1e-3;
  EXPECT_FALSE(cholesky_in_place(indefinite));
  Matrix singular = Matrix::Identity(5, 5);
  singular(2, 2) = 0;
  EXPECT_FALSE(cholesky_in_place(singular));
}

// A NaN is neither positive nor "not positive" to a comparison.
TEST(Cholesky, RefusesNumbersThatAreNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (Eigen::Index i = 0; i < 4; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        Matrix A = Matrix::Identity(4, 4);
        A(i, j) = bad;
        EXPECT_FALSE(cholesky_in_place(A)) << bad << " at " << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
