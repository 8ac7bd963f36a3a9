#include "linalg/regularised_hessian.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "support/random_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using testing::random_matrix;
using testing::random_rows;

// One curvature per row, every fifth 0 (a flat piece of the loss).
Vector some_curvature(std::uint64_t seed, std::size_t rows) {
  Vector D = random_matrix(seed, rows, 1).cwiseAbs().col(0) / 4;
  for (Eigen::Index i = 0; i < D.size(); i += 5) D(i) = 0;
  return D;
}

Matrix dense_hessian(const SparseBlockRows& Z, const Vector& D, double ridge) {
  const Matrix dense = Z.to_dense();
  Matrix H = dense.transpose() * D.asDiagonal() * dense;
  H.diagonal().array() += ridge;
  return H;
}

TEST(RegularisedHessian, BothFormsSolveTheDenseSystem) {
  const std::size_t shapes[][2] = {{5, 20}, {20, 5}, {1, 7}, {7, 1}, {1, 1}, {30, 30}, {200, 12}, {12, 200}};
  for (const auto& [n, d] : shapes) {
    for (const double ridge : {1e-4, 1.0, 1e3}) {
      SCOPED_TRACE(::testing::Message() << n << " x " << d << ", ridge " << ridge);
      const SparseBlockRows Z = random_rows(n + d, {.rows = n, .columns = d, .row_norm = 2}).rows;
      const Vector D = some_curvature(n, n);
      const Vector r = random_matrix(d, d, 1).col(0);
      const Matrix H = dense_hessian(Z, D, ridge);
      const Vector expected = H.ldlt().solve(r);

      const auto primal = RegularisedHessian::primal(Z, D, ridge).value();
      const auto dual = RegularisedHessian::dual(Z, gram(Z), D, ridge).value();
      // Both are backward stable: the error is a small multiple of u cond(H), in units of the largest solution |r| /
      // ridge.
      const double condition = H.norm() / ridge;
      const double allowed = 100 * kUnitRoundoff * condition * r.norm() / ridge;
      EXPECT_LE((primal.solve(r) - expected).norm(), allowed);
      EXPECT_LE((dual.solve(r) - expected).norm(), allowed);
    }
  }
}

TEST(RegularisedHessian, WithoutCurvatureIsTheRidge) {
  const SparseBlockRows Z = random_rows(1, {.rows = 6, .columns = 9}).rows;
  const Vector none = Vector::Zero(6);
  const Vector r = random_matrix(1, 9, 1).col(0);
  EXPECT_LE((RegularisedHessian::primal(Z, none, 4).value().solve(r) - r / 4).norm(), 1e-15);
  EXPECT_EQ(RegularisedHessian::dual(Z, gram(Z), none, 4).value().solve(r), r / 4);
}

// Fewer rows than columns and no ridge: whether the last pivots come out as 0, as rounding errors above it or below it
// is chance, and a factor of rounding errors solves nothing.
TEST(RegularisedHessian, RefusesASingularMatrix) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t d = 2 + seed % 20;
    const SparseBlockRows Z = random_rows(seed, {.rows = d - 1, .columns = d, .density = 1}).rows;
    const auto result = RegularisedHessian::primal(Z, Vector::Constant(static_cast<Eigen::Index>(d) - 1, 0.25), 0);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kNotConverged);
  }
}

// The same with columns that no row touches, whose pivots are exactly 0.
TEST(RegularisedHessian, RefusesUntouchedColumnsWithoutARidge) {
  SparseBlockRows Z(0, 3);
  BlockRow row;
  *row.append(1, 1) = 1;
  Z.append_row(row);
  EXPECT_FALSE(RegularisedHessian::primal(Z, Vector::Ones(1), 0).ok());
  EXPECT_TRUE(RegularisedHessian::primal(Z, Vector::Ones(1), 1e-6).ok());
}

TEST(RegularisedHessian, TakesAWellPosedSystemWithoutARidge) {
  const SparseBlockRows Z = random_rows(3, {.rows = 100, .columns = 10}).rows;
  const Vector D = Vector::Constant(100, 0.25);
  const Vector r = random_matrix(1, 10, 1).col(0);
  const Vector x = RegularisedHessian::primal(Z, D, 0).value().solve(r);
  EXPECT_LE((dense_hessian(Z, D, 0) * x - r).norm(), 1e-13);
}

TEST(RegularisedHessian, RefusesNumbersThatAreNotFinite) {
  const SparseBlockRows Z = random_rows(1, {.rows = 6, .columns = 9}).rows;
  Vector D = Vector::Ones(6);
  D(2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(RegularisedHessian::primal(Z, D, 1).ok());
  EXPECT_FALSE(RegularisedHessian::dual(Z, gram(Z), D, 1).ok());
}

TEST(RegularisedHessian, DualFormNeedsARidge) {
  const SparseBlockRows Z = random_rows(1, {.rows = 3, .columns = 9}).rows;
  EXPECT_THROW((void)RegularisedHessian::dual(Z, gram(Z), Vector::Ones(3), 0), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
