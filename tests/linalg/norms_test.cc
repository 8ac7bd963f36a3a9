#include "unscatter/linalg/norms.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "unscatter/base/random.h"

namespace unscatter {
namespace {

Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Sequence random(seed);
  Matrix A(rows, columns);
  for (double& entry : A.reshaped()) entry = 2 * random.unit() - 1;
  return A;
}

// Never below the true norm, and close enough to be of use.
TEST(SpectralNormUpperBound, CoversTheSingularValue) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto rows = static_cast<Eigen::Index>(1 + seed % 7 * 9);
    const auto columns = static_cast<Eigen::Index>(1 + seed % 11 * 5);
    const Matrix A = random_matrix(rows, columns, seed);
    const double exact = Eigen::JacobiSVD<Matrix>(A).singularValues()(0);
    const double bound = spectral_norm_upper_bound(A);
    EXPECT_GE(bound, exact);
    EXPECT_LE(bound, exact * (1 + 1e-9));
  }
}

// The case that power iteration gets wrong: a start vector orthogonal to the leading direction, and two close singular values.
TEST(SpectralNormUpperBound, HoldsWherePowerIterationFallsShort) {
  Matrix A = Matrix::Zero(40, 40);
  A.diagonal().setConstant(1.0 - 1e-6);
  A(39, 39) = 1.0;
  Vector v = Vector::Ones(40).normalized();
  for (int i = 0; i < 100; ++i) v = (A.transpose() * (A * v)).normalized();
  EXPECT_LT((A * v).norm(), 1.0 - 1e-8);  // what the iteration would claim
  EXPECT_GE(spectral_norm_upper_bound(A), 1.0);
}

TEST(SpectralNormUpperBound, ExtremeScalesAndEmptyMatrices) {
  for (const double scale : {1e-200, 1e-20, 1e20, 1e200}) {
    const Matrix A = scale * random_matrix(8, 5, 3);
    const double exact = scale * Eigen::JacobiSVD<Matrix>(A / scale).singularValues()(0);
    EXPECT_GE(spectral_norm_upper_bound(A), exact * (1 - 1e-15));
    EXPECT_LE(spectral_norm_upper_bound(A), exact * (1 + 1e-9));
  }
  EXPECT_EQ(spectral_norm_upper_bound(Matrix(0, 3)), 0);
  EXPECT_EQ(spectral_norm_upper_bound(Matrix::Zero(4, 3)), 0);
}

TEST(FrobeniusNormUpperBound, CoversTheSumInHigherPrecision) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Matrix A = random_matrix(30, 17, seed);
    long double sum = 0;
    for (const double entry : A.reshaped()) sum += static_cast<long double>(entry) * entry;
    const double bound = frobenius_norm_upper_bound(A);
    EXPECT_GE(static_cast<long double>(bound), std::sqrt(sum));
    EXPECT_LE(bound, static_cast<double>(std::sqrt(sum)) * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace unscatter
