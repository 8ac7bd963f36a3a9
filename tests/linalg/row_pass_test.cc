#include "linalg/row_pass.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "linalg/row_products.h"
#include "support/random_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using testing::random_matrix;
using testing::random_row;

// Rows with equal segments, rows of their own kind, empty ones.
SparseBlockRows mixed_rows(std::size_t n, std::size_t d) {
  SparseBlockRows Z(0, d);
  for (std::size_t i = 0; i < n; ++i) {
    Z.append_row(i % 11 == 5 ? BlockRow{} : random_row(i, d, i % 3 == 0 ? 0.5 : 1));
  }
  return Z;
}

// Some function of a product and of the place it stands at.
double factor_of(double product, std::size_t row, std::size_t column) {
  return product * product - static_cast<double>(row % 7) + 0.5 * static_cast<double>(column);
}

Matrix pass(const SparseBlockRows& Z, const Matrix& W, std::size_t threads) {
  return pass_over_rows(
      Z, W,
      [](const RowBlock& block) {
        for (std::size_t r = 0; r < block.rows; ++r) {
          for (std::size_t k = 0; k < block.stride; ++k) {
            double& value = block.values[r * block.stride + k];
            value = factor_of(value, block.first + r, k);
          }
        }
      },
      threads);
}

TEST(RowPass, GivesTheNumbersOfBothProductsBitForBit) {
  for (const std::size_t n : {1U, 15U, 16U, 17U, 128U, 129U, 300U, 1000U}) {
    for (const std::size_t K : {1U, 2U, 3U, 10U, 13U}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << K << " columns");
      const SparseBlockRows Z = mixed_rows(n, 30);
      const Matrix W = random_matrix(K, 30, K);
      Matrix F = product(Z, W);
      for (Eigen::Index i = 0; i < F.rows(); ++i) {
        for (Eigen::Index k = 0; k < F.cols(); ++k) {
          F(i, k) = factor_of(F(i, k), static_cast<std::size_t>(i), static_cast<std::size_t>(k));
        }
      }
      EXPECT_EQ(pass(Z, W, 1), transposed_product(Z, F));
    }
  }
}

// Enough work for threads to be woken up.
TEST(RowPass, DoesNotDependOnThreads) {
  const SparseBlockRows Z = mixed_rows(9000, 60);
  const Matrix W = random_matrix(1, 60, 6);
  ASSERT_GT(Z.stored_values() * 8, std::size_t{1} << 21);
  for (const std::size_t threads : {2U, 3U, 0U}) EXPECT_EQ(pass(Z, W, threads), pass(Z, W, 1));
}

// Sums that a caller keeps per part see every row once, in order within a part.
TEST(RowPass, PartsCoverTheRowsInOrder) {
  for (const std::size_t n : {1U, 127U, 128U, 129U, 4097U, 9000U}) {
    SCOPED_TRACE(n);
    const SparseBlockRows Z = mixed_rows(n, 5);
    std::vector<std::vector<std::size_t>> seen(pass_parts(n));
    (void)pass_over_rows(Z, Matrix::Ones(5, 2), [&](const RowBlock& block) {
      ASSERT_LE(block.rows, kMostBlockRows);
      for (std::size_t r = 0; r < block.rows; ++r) seen.at(block.part).push_back(block.first + r);
    });
    std::size_t next = 0;
    for (const auto& part : seen) {
      for (const std::size_t row : part) ASSERT_EQ(row, next++);
    }
    EXPECT_EQ(next, n);
    EXPECT_LE(seen.size(), 32U);
  }
}

TEST(RowPass, OfNoRowsIsZero) {
  const SparseBlockRows Z(0, 4);
  EXPECT_EQ(pass(Z, Matrix::Ones(4, 3), 1), Matrix::Zero(4, 3));
  EXPECT_EQ(pass_parts(0), 0U);
  EXPECT_THROW((void)pass(Z, Matrix::Ones(5, 3), 1), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
