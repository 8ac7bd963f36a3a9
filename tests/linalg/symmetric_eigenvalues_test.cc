#include "linalg/symmetric_eigenvalues.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "linalg/symmetric_eigen.h"
#include "unscatter/base/random.h"

namespace unscatter::symmetric_eigenvalues_test {
namespace {

Vector values_of(const Matrix& A) {
  RowMatrix copy = A;
  Vector values(A.rows());
  const auto n = static_cast<std::size_t>(A.rows());
  std::vector<double> memory(symmetric_eigenvalues_memory(n));
  symmetric_eigenvalues({copy.data(), n * n}, {values.data(), n}, memory);
  return values;
}

// Of graphs, with many equal eigenvalues, and of any entries.
TEST(SymmetricEigenvalues, AreThoseOfTheDecomposition) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const auto n = static_cast<Eigen::Index>(1 + random.below(40));
    const double density = random.unit();
    const bool whole = random.chance(0.5);
    const double size = std::exp(20 * random.unit() - 10);
    Matrix A = Matrix::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        if (random.chance(density)) A(i, j) = A(j, i) = whole ? 1 : size * (2 * random.unit() - 1);
      }
    }
    const Vector expected = symmetric_eigen(A).value().values;
    const double largest = expected.cwiseAbs().maxCoeff();
    EXPECT_LE((values_of(A) - expected).cwiseAbs().maxCoeff(), 1e-14 * static_cast<double>(n) * largest);
  }
}

// A path, a ring, a clique and a star have eigenvalues that are known.
TEST(SymmetricEigenvalues, AreThoseThatAreKnown) {
  const Eigen::Index n = 30;
  Matrix path = Matrix::Zero(n, n);
  for (Eigen::Index i = 1; i < n; ++i) path(i, i - 1) = path(i - 1, i) = 1;
  const Vector of_path = values_of(path);
  for (Eigen::Index k = 0; k < n; ++k) {
    EXPECT_NEAR(of_path(k), 2 * std::cos(std::numbers::pi * static_cast<double>(n - k) / (n + 1)), 1e-13);
  }
  const Matrix clique = Matrix::Ones(n, n) - Matrix::Identity(n, n);
  const Vector of_clique = values_of(clique);
  EXPECT_NEAR(of_clique(n - 1), n - 1, 1e-12);
  EXPECT_LT((of_clique.head(n - 1).array() + 1).abs().maxCoeff(), 1e-12);
  Matrix star = Matrix::Zero(n, n);
  star.row(4).setOnes();
  star.col(4).setOnes();
  star(4, 4) = 0;
  const Vector of_star = values_of(star);
  EXPECT_NEAR(of_star(n - 1), std::sqrt(n - 1.0), 1e-12);
  EXPECT_NEAR(of_star(0), -std::sqrt(n - 1.0), 1e-12);
  EXPECT_LT(of_star.segment(1, n - 2).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SymmetricEigenvalues, SmallAndEmptyMatrices) {
  EXPECT_EQ(values_of(Matrix::Zero(0, 0)).size(), 0);
  EXPECT_EQ(values_of(Matrix::Constant(1, 1, -3))(0), -3);
  EXPECT_EQ(values_of(Matrix::Zero(7, 7)), Vector::Zero(7));
  EXPECT_EQ(values_of(Matrix::Identity(7, 7)), Vector::Ones(7));
  const Vector pair = values_of((Matrix(2, 2) << 0, 1, 1, 0).finished());
  EXPECT_NEAR(pair(0), -1, 1e-15);
  EXPECT_NEAR(pair(1), 1, 1e-15);
}

}  // namespace
}  // namespace unscatter::symmetric_eigenvalues_test
