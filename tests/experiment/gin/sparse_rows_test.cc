#include "experiment/gin/sparse_rows.h"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "unscatter/base/invariant.h"
#include "unscatter/base/random.h"

namespace unscatter::gin {
namespace {

using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

SparseRows random_sparse_rows(std::size_t rows, std::size_t columns, Sequence& random) {
  SparseRows S;
  S.columns = columns;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      if (random.chance(0.2)) S.add_entry(j, static_cast<float>(random.unit()) - 0.5F);
    }
    S.end_row();
  }
  return S;
}

Dense dense_form(const SparseRows& S) {
  Dense dense = Dense::Zero(static_cast<Eigen::Index>(S.rows()), static_cast<Eigen::Index>(S.columns));
  for (std::size_t i = 0; i < S.rows(); ++i) {
    for (std::size_t e = S.offsets[i]; e < S.offsets[i + 1]; ++e)
      dense(static_cast<Eigen::Index>(i), S.column[e]) += S.value[e];
  }
  return dense;
}

std::span<float> values_of(Dense& matrix) { return {matrix.data(), static_cast<std::size_t>(matrix.size())}; }

// Sizes on both sides of the pieces that work is cut into.
TEST(SparseRows, ProductsEqualDenseOnes) {
  Sequence random(1);
  for (const std::size_t rows : {1U, 7U, 300U}) {
    for (const std::size_t width : {1U, 32U, 33U, 64U}) {
      SCOPED_TRACE(::testing::Message() << rows << " rows, " << width << " columns");
      const SparseRows S = random_sparse_rows(rows, 40, random);
      const Dense dense = dense_form(S);
      Dense right = Dense::Random(40, static_cast<Eigen::Index>(width));
      Dense left = Dense::Random(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(width));
      Dense product = Dense::Constant(left.rows(), left.cols(), 9);  // overwritten, not added to
      Dense transposed = Dense::Constant(right.rows(), right.cols(), 9);
      multiply(S, values_of(right), width, values_of(product));
      multiply_transposed(S, values_of(left), width, values_of(transposed));
      EXPECT_LE((product - dense * right).cwiseAbs().maxCoeff(), 1e-5F);
      EXPECT_LE((transposed - dense.transpose() * left).cwiseAbs().maxCoeff(), 1e-4F);
    }
  }
}

TEST(SparseRows, ShapesThatDoNotFitAreABrokenInvariant) {
  Sequence random(2);
  const SparseRows S = random_sparse_rows(3, 4, random);
  std::vector<float> three(3);
  std::vector<float> four(4);
  EXPECT_THROW(multiply(S, three, 1, three), InvariantViolation);
  EXPECT_THROW(multiply_transposed(S, four, 1, four), InvariantViolation);
}

}  // namespace
}  // namespace unscatter::gin
