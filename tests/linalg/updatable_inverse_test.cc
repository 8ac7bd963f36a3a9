#include "linalg/updatable_inverse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "support/exact_spectrum.h"
#include "support/random_rows.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using testing::random_matrix;

Matrix positive_definite(std::uint64_t seed, std::size_t n) {
  const Matrix B = random_matrix(seed, n, n);
  Matrix A = B * B.transpose() / static_cast<double>(n);
  A.diagonal().array() += 0.1;
  return A;
}

double largest_difference(const UpdatableInverse& inverse, const Matrix& A) {
  return (inverse.times(A) - Matrix::Identity(A.rows(), A.cols())).cwiseAbs().maxCoeff();
}

TEST(UpdatableInverse, IsTheInverse) {
  for (const std::size_t n : {1U, 2U, 7U, 60U}) {
    Matrix A = positive_definite(n, n);
    EXPECT_LE(largest_difference(UpdatableInverse::of(A).value(), A), 1e-11);
    // Only the lower triangle is looked at.
    const Matrix whole = A;
    A.triangularView<Eigen::StrictlyUpper>().setConstant(99);
    EXPECT_LE(largest_difference(UpdatableInverse::of(A).value(), whole), 1e-11);
  }
}

TEST(UpdatableInverse, FollowsRankOneChangesUpAndDown) {
  Matrix A = positive_definite(1, 20);
  auto inverse = UpdatableInverse::of(A).value();
  Sequence random(1);
  for (std::uint64_t step = 0; step < 100; ++step) {
    const Vector x = random_matrix(step, 20, 1).col(0);
    // Every change is taken back two steps later, so that the matrix stays where it is.
    const double sigma = 0.1 + random.unit();
    ASSERT_TRUE(inverse.add(x, Vector::Constant(1, sigma)));
    A += sigma * x * x.transpose();
    if (step % 3 != 0) {
      ASSERT_TRUE(inverse.add(x, Vector::Constant(1, -sigma)));
      A -= sigma * x * x.transpose();
    }
    ASSERT_LE(largest_difference(inverse, A), 1e-8);
  }
}

TEST(UpdatableInverse, FollowsSeveralChangesAtOnce) {
  Matrix A = positive_definite(8, 40);
  auto inverse = UpdatableInverse::of(A).value();
  for (std::uint64_t step = 0; step < 20; ++step) {
    Matrix X = random_matrix(step, 40, 3);
    X.col(2) = X.col(0) + 0.01 * X.col(2);  // what the first change does matters to the last
    const Vector sigmas = Eigen::Vector3d(0.7, 0.4, -0.6);
    ASSERT_TRUE(inverse.add(X, sigmas));
    A += X * sigmas.asDiagonal() * X.transpose();
    ASSERT_LE(largest_difference(inverse, A), 1e-8);
  }
}

TEST(UpdatableInverse, FollowsNewLines) {
  constexpr Eigen::Index kOrder = 25;
  const Matrix far = positive_definite(3, kOrder);
  Matrix A = positive_definite(2, kOrder);
  auto inverse = UpdatableInverse::of(A).value();
  // Line by line into a larger matrix and then on to another: every matrix in between is positive definite by its
  // diagonal.
  for (Eigen::Index i = 0; i < kOrder; ++i) {
    Vector line = 0.05 * far.col(i);
    line(i) = far(i, i) + 2;
    ASSERT_TRUE(inverse.replace_line(static_cast<std::size_t>(i), line));
    A.col(i) = line;
    A.row(i) = line.transpose();
    ASSERT_LE(largest_difference(inverse, A), 1e-9) << "line " << i;
  }
}

// Every change waits for others and is worked in together with them: products must not tell which is the case.
TEST(UpdatableInverse, DiagonalAndProductsAgreeWhileChangesWait) {
  constexpr std::size_t kOrder = 70;
  Matrix A = positive_definite(6, kOrder);
  for (const InversePrecision precision : {InversePrecision::kDouble, InversePrecision::kSingleIfEnough}) {
    auto inverse = UpdatableInverse::of(A, precision).value();
    ASSERT_EQ(inverse.is_single(), precision == InversePrecision::kSingleIfEnough);
    const double allowed = inverse.is_single() ? 1e-4 : 1e-9;
    for (std::uint64_t step = 0; step < 12; ++step) {
      const Vector x = random_matrix(step, kOrder, 1).col(0);
      ASSERT_TRUE(inverse.add(x, Vector::Constant(1, 0.3)));
      A += 0.3 * x * x.transpose();
      ASSERT_LE(largest_difference(inverse, A), allowed) << step;
      const Matrix P = inverse.times(Matrix::Identity(kOrder, kOrder));
      for (std::size_t i = 0; i < kOrder; ++i) {
        EXPECT_NEAR(inverse.diagonal(i), P(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)), allowed);
      }
    }
  }
}

// After learning, P turns the change of a gradient into the step that caused it, is symmetric and positive definite,
// and what is returned is a product with it; and enough steps teach it a matrix that has drifted.
TEST(UpdatableInverse, LearnsFromSteps) {
  constexpr std::size_t kOrder = 30;
  const Matrix A = positive_definite(7, kOrder);
  Matrix drifted = A;
  drifted.diagonal() *= 1.5;
  auto inverse = UpdatableInverse::of(A).value();
  const auto error = [&] { return (inverse.times(drifted) - Matrix::Identity(kOrder, kOrder)).norm(); };
  const double at_first = error();
  for (std::uint64_t step = 0; step < 200; ++step) {
    const Vector before = random_matrix(step, kOrder, 1).col(0);
    const Vector s = inverse.times(before);
    const Vector after = before - drifted * s;
    const Vector next = inverse.learn(s, before, after);
    const Matrix P = inverse.times(Matrix::Identity(kOrder, kOrder));
    ASSERT_LE((P * (before - after) - s).norm(), 1e-10 * s.norm()) << step;
    ASSERT_LE((P * after - next).norm(), 1e-10 * s.norm()) << step;
    ASSERT_LE((P - P.transpose()).norm(), 1e-10 * P.norm()) << step;
    ASSERT_GT(testing::exact_eigenvalues(P).minCoeff(), 0) << step;
  }
  EXPECT_LE(error(), 0.05 * at_first);
  // What cannot be a pair of a convex function is ignored.
  const Matrix kept = inverse.times(Matrix::Identity(kOrder, kOrder));
  const Vector ones = Vector::Ones(kOrder);
  EXPECT_EQ(inverse.learn(ones, ones, 2 * ones), inverse.times(2 * ones));
  EXPECT_FALSE(
      inverse.learn(ones, ones, Vector::Constant(kOrder, std::numeric_limits<double>::quiet_NaN())).allFinite());
  EXPECT_EQ(inverse.times(Matrix::Identity(kOrder, kOrder)), kept);
}

TEST(UpdatableInverse, SinglePrecisionIsUsedOnlyWhereItIsEnough) {
  Matrix A = Matrix::Identity(6, 6);
  EXPECT_TRUE(UpdatableInverse::of(A, InversePrecision::kSingleIfEnough)->is_single());
  EXPECT_FALSE(UpdatableInverse::of(A)->is_single());
  // Two digits are expected up to ten times the condition for three.
  A(0, 0) = 1e-4;
  EXPECT_FALSE(UpdatableInverse::of(A, InversePrecision::kSingleIfEnough)->is_single());
  EXPECT_TRUE(UpdatableInverse::of(A, InversePrecision::kSingleIfUseful)->is_single());
  A(0, 0) = 1e-6;
  EXPECT_FALSE(UpdatableInverse::of(A, InversePrecision::kSingleIfEnough)->is_single());
  EXPECT_FALSE(UpdatableInverse::of(A, InversePrecision::kSingleIfUseful)->is_single());
  // Numbers too small or too large for single precision go through it all the same; what is not a number stays so.
  const auto inverse = UpdatableInverse::of(2 * Matrix::Identity(6, 6), InversePrecision::kSingleIfEnough).value();
  for (const double size : {1e-200, 1e-40, 1.0, 1e60}) {
    EXPECT_NEAR(inverse.times(Matrix::Constant(6, 2, size))(3, 1), size / 2, 1e-6 * size);
  }
  EXPECT_EQ(inverse.times(Matrix::Zero(6, 1)), Matrix::Zero(6, 1));
  EXPECT_FALSE(inverse.times(Matrix::Constant(6, 1, std::numeric_limits<double>::quiet_NaN())).allFinite());
}

// More changes than may wait, so that they are worked into the one triangle too.
TEST(UpdatableInverse, OneTriangleFollowsLikeBoth) {
  for (const std::size_t order : {40U, 1030U}) {
    Matrix A = positive_definite(3, order);
    auto both = UpdatableInverse::of(A).value();
    auto lower = UpdatableInverse::of(A, InversePrecision::kDoubleLower).value();
    EXPECT_FALSE(lower.is_single());
    for (std::uint64_t step = 0; step < 20; ++step) {
      const Matrix X = random_matrix(step, order, 2) / std::sqrt(static_cast<double>(order));
      const Vector sigmas = Eigen::Vector2d(0.5, -0.02);
      Matrix expected;
      ASSERT_TRUE(both.add_and_solve(X, sigmas, X, expected));
      Matrix solved;
      ASSERT_TRUE(lower.add_and_solve_own(X, sigmas, solved, 1 + step % 2));
      ASSERT_LE((solved - expected).norm(), 1e-9 * expected.norm()) << step;
      const Matrix right_sides = random_matrix(100 + step, order, 7);
      ASSERT_LE((lower.times(right_sides, 2) - both.times(right_sides)).norm(), 1e-9 * right_sides.norm()) << step;
    }
  }
}

TEST(UpdatableInverse, SaysWhenThereIsNone) {
  EXPECT_FALSE(UpdatableInverse::of(-positive_definite(1, 5)).has_value());
  EXPECT_FALSE(UpdatableInverse::of(Matrix::Constant(2, 2, std::numeric_limits<double>::quiet_NaN())).has_value());
  const Matrix A = positive_definite(4, 6);
  const Vector x = Vector::Unit(6, 2);
  auto down = UpdatableInverse::of(A).value();
  EXPECT_FALSE(down.add(x, Vector::Constant(1, -100)));
  auto line = UpdatableInverse::of(A).value();
  EXPECT_FALSE(line.replace_line(2, -x));
  auto bad = UpdatableInverse::of(A).value();
  EXPECT_FALSE(bad.replace_line(2, Vector::Constant(6, std::numeric_limits<double>::infinity())));
}

TEST(UpdatableInverse, WipedLeavesNothing) {
  for (const InversePrecision precision : {InversePrecision::kDouble, InversePrecision::kSingleIfEnough}) {
    auto inverse = UpdatableInverse::of(positive_definite(5, 40), precision).value();
    ASSERT_TRUE(inverse.add(Vector::Ones(40), Vector::Ones(1)));
    inverse.wipe();
    EXPECT_EQ(inverse.times(Matrix::Ones(40, 1)).cwiseAbs().maxCoeff(), 0);
  }
}

}  // namespace
}  // namespace unscatter
