#include "linalg/norms.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "linalg/row_products.h"
#include "support/exact_spectrum.h"
#include "support/random_rows.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

// Never below the true norm, and close enough to be of use.
TEST(SpectralNormUpperBound, CoversTheSingularValue) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t rows = 1 + seed % 7 * 9;
    const std::size_t columns = 1 + seed % 11 * 5;
    const Matrix A = testing::random_matrix(seed, rows, columns);
    const long double exact = testing::largest_singular_value(A);
    const double bound = spectral_norm_upper_bound(A);
    EXPECT_GE(bound, exact);
    EXPECT_LE(bound, exact * (1 + 1e-9));
  }
}

// The case that power iteration gets wrong: a start vector orthogonal to the leading direction, and two close singular
// values.
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
    const Matrix A = scale * testing::random_matrix(3, 8, 5);
    const long double exact = scale * testing::largest_singular_value(A / scale);
    EXPECT_GE(spectral_norm_upper_bound(A), exact * (1 - 1e-15));
    EXPECT_LE(spectral_norm_upper_bound(A), exact * (1 + 1e-9));
  }
  EXPECT_EQ(spectral_norm_upper_bound(Matrix(0, 3)), 0);
  EXPECT_EQ(spectral_norm_upper_bound(Matrix::Zero(4, 3)), 0);
}

TEST(FrobeniusNormUpperBound, CoversTheSumInHigherPrecision) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Matrix A = testing::random_matrix(seed, 30, 17);
    long double sum = 0;
    for (const double entry : A.reshaped()) sum += static_cast<long double>(entry) * entry;
    const double bound = frobenius_norm_upper_bound(A);
    EXPECT_GE(static_cast<long double>(bound), std::sqrt(sum));
    EXPECT_LE(bound, static_cast<double>(std::sqrt(sum)) * (1 + 1e-12));
  }
}

// H diag(values) H^T with the Hadamard matrix H of entries +1 and -1: integers throughout, so the eigenvalues n *
// values are exact.  A power of two many values.
Matrix with_spectrum(const std::vector<double>& values) {
  const auto n = static_cast<Eigen::Index>(values.size());
  Matrix H(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) H(i, j) = std::popcount(static_cast<std::size_t>(i & j)) % 2 == 0 ? 1 : -1;
  }
  return H * Eigen::Map<const Vector>(values.data(), n).asDiagonal() * H.transpose();
}

struct SpectrumCase {
  std::string name;
  Matrix gram;
  double largest;    // exact
  double tightness;  // bound / largest, at most
};

// The leading value stands at a place of its own in each: the leading vector is then any of the Hadamard ones.
std::vector<SpectrumCase> known_spectra() {
  std::vector<SpectrumCase> cases;
  for (const std::size_t n : {1UL, 2UL, 8UL, 64UL}) {
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      const auto add = [&](const std::string& name, const std::vector<double>& values, double largest,
                           double tightness) {
        cases.push_back({name + " n=" + std::to_string(n) + " place=" + std::to_string(place), with_spectrum(values),
                         static_cast<double>(n) * largest, tightness});
      };
      std::vector<double> values(n, 0.0);
      values[place] = 3;
      add("rank one", values, 3, 1.002);
      for (std::size_t i = 0; i < n; ++i) values[i] = i == place ? 1000 : static_cast<double>(i * 37 % 700);
      add("decent gap", values, 1000, 1.002);
      for (std::size_t i = 0; i < n; ++i) values[i] = i == place ? 1000 : 999;
      add("clustered", values, 1000, 1.02);
      for (std::size_t i = 0; i < n; ++i) values[i] = i == place ? 1024 : 900 + static_cast<double>(i % 2) * 100;
      add("two clusters", values, 1024, 1.2);
    }
  }
  return cases;
}

// The check that every bound here has to pass.
bool covers(double bound, double truth) { return bound >= truth; }

TEST(LargestEigenvalueUpperBound, CoversKnownSpectraClosely) {
  for (const auto& [name, G, largest, tightness] : known_spectra()) {
    SCOPED_TRACE(name);
    const double bound = largest_eigenvalue_upper_bound(G);
    EXPECT_TRUE(covers(bound, largest)) << bound << " < " << largest;
    EXPECT_LE(bound, tightness * largest);
  }
}

// Negative control: what both public codes use.  The very check above must catch it.
TEST(LargestEigenvalueUpperBound, TheCheckCatchesAPlainPowerIteration) {
  std::size_t caught = 0;
  std::size_t total = 0;
  for (const auto& [name, G, largest, tightness] : known_spectra()) {
    Vector x = Vector::LinSpaced(G.rows(), 1, 2).normalized();
    for (int step = 0; step < 5; ++step) x = (G * x).normalized();
    caught += covers(x.dot(G * x), largest) ? 0U : 1U;
    ++total;
  }
  EXPECT_GE(caught, total / 2) << "of " << total;
}

TEST(LargestEigenvalueUpperBound, CoversRandomGramMatrices) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t n = 1 + seed * 7 % 40;
    const std::size_t d = 1 + seed * 11 % 50;
    const Matrix G = gram(testing::random_rows(seed, {.rows = n, .columns = d, .density = 0.8}).rows);
    const long double exact = testing::exact_eigenvalues(G).maxCoeff();
    const double bound = largest_eigenvalue_upper_bound(G);
    EXPECT_GE(bound, exact);
    EXPECT_LE(bound, 1.12L * exact);

    const Matrix Z = testing::random_rows(seed, {.rows = n, .columns = d, .density = 0.8}).rows.to_dense();
    const long double norm = testing::largest_singular_value(Z);
    EXPECT_GE(spectral_norm_upper_bound_from_gram(G, d), norm);
    EXPECT_LE(spectral_norm_upper_bound_from_gram(G, d), 1.06L * norm);
  }
}

TEST(LargestEigenvalueUpperBound, ZeroEmptyAndExtremeMatrices) {
  EXPECT_EQ(largest_eigenvalue_upper_bound(Matrix(0, 0)), 0);
  EXPECT_EQ(largest_eigenvalue_upper_bound(Matrix::Zero(5, 5)), 0);
  const Matrix G = with_spectrum({1, 2, 3, 8});
  for (const double scale : {0x1p-1000, 0x1p-500, 0x1p900}) {
    EXPECT_GE(largest_eigenvalue_upper_bound(scale * G), scale * 32);
    EXPECT_LE(largest_eigenvalue_upper_bound(scale * G), scale * 32 * 2);
  }
}

// |Z| itself from a computed G, also where G keeps nothing of Z.
TEST(SpectralNormUpperBoundFromGram, KnownNormsAndUnderflow) {
  for (const auto& [name, G, largest, tightness] : known_spectra()) {
    SCOPED_TRACE(name);
    const double bound = spectral_norm_upper_bound_from_gram(G, static_cast<std::size_t>(G.rows()));
    EXPECT_TRUE(covers(bound, std::sqrt(largest)));
    EXPECT_LE(bound, std::sqrt(tightness * largest));
  }
  const Matrix Z = Matrix::Constant(4, 4, 1e-170);  // |Z| = 4e-170, all squares underflow
  const double bound = spectral_norm_upper_bound_from_gram(Z * Z.transpose(), 4);
  EXPECT_GE(bound, 4e-170);
  EXPECT_LE(bound, 1e-150);
}

}  // namespace
}  // namespace unscatter
