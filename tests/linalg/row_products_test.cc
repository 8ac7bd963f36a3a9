#include "linalg/row_products.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/rounding.h"
#include "support/random_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using testing::random_matrix;
using testing::random_row;

// Rows of every density, some of them empty.
SparseBlockRows some_rows(std::uint64_t seed, std::size_t rows, std::size_t columns) {
  SparseBlockRows Z(0, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    const double density = static_cast<double>(i % 5) / 4;
    Z.append_row(i % 7 == 3 ? BlockRow{} : random_row(1000 * seed + i, columns, density, 1 + density));
  }
  return Z;
}

double largest(const Matrix& A) { return A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff(); }

TEST(RowProducts, EqualThoseOfTheDenseMatrix) {
  const std::size_t shapes[][2] = {{1, 1}, {1, 40}, {9, 40}, {60, 5}, {300, 30}};
  for (const auto& [n, d] : shapes) {
    SCOPED_TRACE(::testing::Message() << n << " x " << d);
    const SparseBlockRows Z = some_rows(n, n, d);
    const Matrix dense = Z.to_dense();
    const Matrix W = random_matrix(1, d, 3);
    const Matrix R = random_matrix(2, n, 3);
    EXPECT_LE(largest(product(Z, W) - dense * W), 1e-13);
    EXPECT_LE(largest(transposed_product(Z, R) - dense.transpose() * R), 1e-12);
    EXPECT_LE(largest(gram(Z) - dense * dense.transpose()), 1e-13);
    const Vector weights = random_matrix(3, n, 1).cwiseAbs().col(0);
    const Matrix square = weighted_square(Z, weights);
    EXPECT_LE(largest(square - dense.transpose() * weights.asDiagonal() * dense), 1e-12);
    EXPECT_EQ(largest(square - square.transpose()), 0);
  }
}

// An entry is the same whichever rows and columns go through the kernels beside it: a class must not depend on how many
// there are, nor a graph's margin on its neighbours.
TEST(RowProducts, EntriesDoNotDependOnWhatIsBesideThem) {
  constexpr std::size_t kColumns = 150;
  SparseBlockRows Z(0, kColumns);
  for (std::size_t i = 0; i < 23; ++i) {
    // Runs of rows with equal segments, of lengths 1 to 6, and rows of their own kind.
    Z.append_row(i % 7 == 6 ? random_row(i, kColumns, 0.3) : random_row(7 * (i / 7) + 1, kColumns, i < 7 ? 1 : 0.5));
  }
  for (const std::size_t K : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 12U, 13U, 25U}) {
    SCOPED_TRACE(::testing::Message() << K << " columns");
    const Matrix W = random_matrix(K, kColumns, K);
    const Matrix R = random_matrix(K + 1, Z.rows(), K);
    const Matrix ZW = product(Z, W);
    const Matrix ZtR = transposed_product(Z, R);
    for (Eigen::Index k = 0; k < W.cols(); ++k) {
      EXPECT_EQ(ZW.col(k), product(Z, W.col(k)).col(0));
      EXPECT_EQ(ZtR.col(k), transposed_product(Z, R.col(k)).col(0));
    }
    for (std::size_t i = 0; i < Z.rows(); ++i) {
      SparseBlockRows alone(0, kColumns);
      alone.append_row(Z.row(i));
      EXPECT_EQ(Matrix(ZW.row(static_cast<Eigen::Index>(i))), product(alone, W));
    }
  }
}

// |computed - exact| <= gamma_depth |z| |w|, against sums in long double.  Large values that cancel make the error
// visible.
TEST(RowProducts, ErrByNoMoreThanTheirDepthAllows) {
  for (const std::size_t d : {1U, 2U, 63U, 64U, 65U, 400U, 3000U}) {
    SparseBlockRows Z(0, d);
    for (std::uint64_t seed = 0; seed < 20; ++seed) Z.append_row(random_row(seed, d, seed % 2 == 0 ? 1 : 0.4));
    const Matrix W = random_matrix(d, d, 5);
    const Matrix computed = product(Z, W);
    const RowMatrix dense = Z.to_dense();
    for (Eigen::Index i = 0; i < dense.rows(); ++i) {
      const std::size_t depth = product_depth(Z.row(static_cast<std::size_t>(i)));
      EXPECT_LE(depth, d / 64 + 64 + d);
      for (Eigen::Index k = 0; k < W.cols(); ++k) {
        long double exact = 0;
        for (Eigen::Index c = 0; c < dense.cols(); ++c) {
          exact += static_cast<long double>(dense(i, c)) * static_cast<long double>(W(c, k));
        }
        const double error = std::abs(static_cast<double>(static_cast<long double>(computed(i, k)) - exact));
        EXPECT_LE(error, rounding_factor(static_cast<double>(depth)) * dense.row(i).norm() * W.col(k).norm());
      }
    }
  }
  BlockRow wide;
  wide.append(0, 3000);
  EXPECT_LT(product_depth(wide), 100U);  // not 3000
}

TEST(RowProducts, OfSingleRowsEqualDenseOnes) {
  constexpr std::size_t kColumns = 50;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    SparseBlockRows Z(0, kColumns);
    Z.append_row(random_row(seed, kColumns, 0.4, 2));
    Z.append_row(random_row(seed + 100, kColumns, 0.6, 3));
    const Matrix dense = Z.to_dense();
    const Vector x = random_matrix(seed, kColumns, 1).col(0);
    EXPECT_NEAR(dot(Z.row(0), Z.row(1)), dense.row(0).dot(dense.row(1)), 1e-14);
    EXPECT_EQ(dot(Z.row(0), Z.row(1)), dot(Z.row(1), Z.row(0)));
    EXPECT_NEAR(dot(Z.row(0), x), dense.row(0).dot(x), 1e-14);
    EXPECT_NEAR(norm(Z.row(0)), dense.row(0).norm(), 1e-14);
    EXPECT_NEAR(squared_norm(Z.row(0)), dense.row(0).squaredNorm(), 1e-14);
    Vector sum = x;
    add_scaled(Z.row(1), -0.7, sum);
    EXPECT_LE(largest(sum - (x - 0.7 * dense.row(1).transpose())), 1e-15);
    EXPECT_EQ(dot(Z.row(0), BlockRow{}), 0);
    EXPECT_EQ(dot(BlockRow{}, x), 0);
    EXPECT_EQ(norm(BlockRow{}), 0);
  }
}

TEST(RowProducts, AreTheSameNumbersForAnyNumberOfThreads) {
  for (const std::size_t n : {1UL, 128UL, 129UL, 385UL, 1000UL}) {
    SCOPED_TRACE(n);
    const SparseBlockRows Z = some_rows(5, n, 20);
    const Matrix W = random_matrix(1, 20, 2);
    const Matrix R = random_matrix(2, n, 2);
    for (const std::size_t threads : {2UL, 3UL, 0UL}) {
      EXPECT_EQ(product(Z, W, threads), product(Z, W));
      EXPECT_EQ(transposed_product(Z, R, threads), transposed_product(Z, R));
      EXPECT_EQ(gram(Z, threads), gram(Z));
    }
  }
  // So many that threads are woken up for a single product.
  const SparseBlockRows Z = some_rows(6, 9000, 150);
  ASSERT_GT(Z.stored_values() * 8, std::size_t{1} << 21);
  const Matrix W = random_matrix(1, 150, 6);
  const Matrix R = random_matrix(2, 9000, 6);
  EXPECT_EQ(product(Z, W, 2), product(Z, W));
  EXPECT_EQ(transposed_product(Z, R, 2), transposed_product(Z, R));
}

TEST(RowProducts, OfASymmetricMatrixEqualThoseOfAnyMatrix) {
  for (const std::size_t n : {1U, 3U, 4U, 64U, 65U, 700U}) {
    for (const std::size_t K : {1U, 2U, 3U, 10U}) {
      const Matrix half = random_matrix(n, n, n);
      const Matrix A = half + half.transpose();
      const Matrix X = random_matrix(K, n, K);
      EXPECT_LE(largest(symmetric_product(A, X) - A * X), 1e-12 * static_cast<double>(n));
      EXPECT_EQ(symmetric_product(A, X, 2), symmetric_product(A, X));
    }
  }
  EXPECT_THROW((void)symmetric_product(Matrix::Zero(3, 3), Matrix::Zero(2, 1)), InvariantViolation);
}

// What stands above the diagonal is neither read nor written.
TEST(RowProducts, OfALowerTriangleEqualThoseOfTheWholeMatrix) {
  for (const std::size_t n : {1U, 2U, 3U, 7U, 64U, 65U, 301U, 1030U}) {
    const Matrix half = random_matrix(n, n, n);
    Matrix A = half + half.transpose();
    Matrix lower = A;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
    for (const std::size_t columns : {1U, 2U}) {
      const Matrix X = random_matrix(columns, n, columns);
      const Vector factors = random_matrix(7, columns, 1).col(0);
      add_squares(X, factors, A);
      Matrix changed = lower;
      add_squares_to_lower(X, factors, lower);
      EXPECT_LE(largest((lower - A).triangularView<Eigen::Lower>().toDenseMatrix()), 1e-13);
      EXPECT_TRUE(n == 1 || std::isnan(lower(0, static_cast<Eigen::Index>(n) - 1)));
      // Few columns, and so many that they go through the row kernels.
      for (const std::size_t wide : {1U, 2U, 3U, 10U}) {
        const Matrix Y = random_matrix(wide, n, wide);
        EXPECT_LE(largest(lower_product(lower, Y) - A * Y), 1e-12 * static_cast<double>(n));
        EXPECT_EQ(lower_product(lower, Y, 2), lower_product(lower, Y));
        // One pass that changes and multiplies does what two passes do, bit for bit.
        Matrix once = changed;
        EXPECT_EQ(lower_product_of_changed(X, factors, once, Y, 2), lower_product(lower, Y));
        EXPECT_EQ(Matrix(once.triangularView<Eigen::Lower>()), Matrix(lower.triangularView<Eigen::Lower>()));
      }
    }
  }
  Matrix three = Matrix::Zero(3, 3);
  EXPECT_THROW((void)lower_product(three, Matrix::Zero(2, 1)), InvariantViolation);
  EXPECT_THROW(add_squares_to_lower(Matrix::Zero(3, 3), Vector::Zero(2), three), InvariantViolation);
  EXPECT_THROW((void)lower_product_of_changed(Matrix::Zero(3, 3), Vector::Zero(3), three, Matrix::Zero(3, 1)),
               InvariantViolation);
}

// So wide that groups of columns go to threads.
TEST(RowProducts, AWideSquareIsTheSameForAnyNumberOfThreads) {
  const SparseBlockRows Z = some_rows(5, 40, 1100);
  const Vector weights = random_matrix(3, 40, 1).col(0).cwiseAbs();
  const Matrix dense = Z.to_dense();
  const Matrix square = weighted_square(Z, weights);
  EXPECT_LE(largest(square - dense.transpose() * weights.asDiagonal() * dense), 1e-12);
  EXPECT_EQ(square, weighted_square(Z, weights, 2));
  EXPECT_EQ(square, square.transpose());
}

TEST(RowProducts, RefuseShapesThatDoNotFit) {
  const SparseBlockRows Z = some_rows(1, 4, 6);
  EXPECT_THROW((void)product(Z, Matrix::Zero(5, 1)), InvariantViolation);
  EXPECT_THROW((void)transposed_product(Z, Matrix::Zero(6, 1)), InvariantViolation);
  EXPECT_THROW((void)weighted_square(Z, Vector::Ones(3)), InvariantViolation);
}

// The depth that error envelopes are made of, against what a sum of many equal numbers loses: 0.1 is not a double, so
// each addition rounds the same way.  One running sum breaks the envelope (the planted fault), the tree keeps it.
TEST(SummationDepth, CoversTheErrorOfTheTreeButNotThatOfARunningSum) {
  constexpr std::size_t kRows = 100'000;
  SparseBlockRows Z(0, 1);
  for (std::size_t i = 0; i < kRows; ++i) {
    BlockRow row;
    *row.append(0, 1) = 0.1;
    Z.append_row(row);
  }
  const long double exact = static_cast<long double>(0.1) * kRows;
  const auto envelope =
      static_cast<long double>(rounding_factor(static_cast<double>(summation_depth(kRows)))) * std::abs(exact);
  const double tree = transposed_product(Z, Matrix::Ones(kRows, 1))(0, 0);
  EXPECT_LE(std::abs(static_cast<long double>(tree) - exact), envelope);
  double running = 0;
  for (std::size_t i = 0; i < kRows; ++i) running += 0.1;
  EXPECT_GT(std::abs(static_cast<long double>(running) - exact), envelope);
}

// At most 128 additions in a leaf, then one per level of a balanced tree.
TEST(SummationDepth, GrowsWithTheLogarithm) {
  EXPECT_EQ(summation_depth(0), 0U);
  for (std::size_t rows = 1; rows < 200'000; rows = rows * 3 / 2 + 1) {
    const std::size_t leaves = (rows + kLeafRows - 1) / kLeafRows;
    const auto needed =
        static_cast<double>(std::min(rows, kLeafRows)) + std::ceil(std::log2(static_cast<double>(leaves)));
    EXPECT_GE(static_cast<double>(summation_depth(rows)), needed) << rows;
    EXPECT_LE(static_cast<double>(summation_depth(rows)), needed + 1) << rows;
  }
}

TEST(RefreshGramRows, EqualsTheGramMatrixFromScratch) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // One, a few, and more than go through the kernels at a time.
    for (const std::size_t count : {1u, 3u, 5u, 15u, 31u}) {
      SCOPED_TRACE(fmt::format("seed {}, {} rows", seed, count));
      SparseBlockRows Z = some_rows(seed, 40, 25);
      Matrix G = gram(Z);
      std::vector<std::size_t> changed;
      for (std::size_t c = 0; c < count; ++c) {
        changed.push_back((seed + 9 * c) % 40);
        Z.set_row(changed.back(), (seed + c) % 4 == 0 ? BlockRow{} : random_row(seed + c, 25, 0.7, 2));
      }
      refresh_gram_rows(Z, changed, G, 1 + seed % 2);
      EXPECT_LE(largest(G - gram(Z)), 1e-14);
      EXPECT_EQ(G, Matrix(G.transpose()));
    }
  }
}

}  // namespace
}  // namespace unscatter
