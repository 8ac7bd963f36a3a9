#include "embedding/blocks/random_fourier.h"
#include "embedding/blocks/public_hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "unscatter/base/random.h"
#include "unscatter/linalg/dense.h"

namespace unscatter::random_fourier_test {
namespace {

using testing::hash_of;

std::vector<double> features(const RandomFourier& fourier, const std::vector<double>& z) {
  std::vector<double> phases;
  std::vector<double> x(fourier.width(), 0.0);
  fourier.add(z, 1, phases, x);
  return x;
}

std::vector<double> random_row(Sequence& random, std::size_t count) {
  std::vector<double> z(count, 0.0);
  for (double& value : z) value = random.chance(0.5) ? random.unit() - 0.5 : 0;
  return z;
}

// Numbers of a row with many columns, most of them 0.
std::vector<double> sparse_row(Sequence& random) {
  std::vector<double> z(100, 0.0);
  for (double& value : z) value = random.chance(0.2) ? random.unit() - 0.5 : 0;
  return z;
}

// With all matrices written out.
TEST(RandomFourier, IsTheFormula) {
  for (const std::size_t count : {2u, 6u, 32u, 64u, 130u}) {
    const FourierStep step{count, 2.5, 17};
    const RandomFourier fourier(step, 9);
    Sequence random(count);
    const std::vector<double> z = random_row(random, 9);
    const std::vector<double> x = features(fourier, z);
    constexpr Eigen::Index kSize = 16;
    Matrix H(kSize, kSize);
    for (Eigen::Index j = 0; j < kSize; ++j) {
      for (Eigen::Index k = 0; k < kSize; ++k) {
        H(j, k) = std::popcount(static_cast<std::uint64_t>(j & k)) % 2 == 0 ? 1 : -1;
      }
    }
    Vector input = Vector::Zero(kSize);
    for (std::size_t k = 0; k < z.size(); ++k) input(static_cast<Eigen::Index>(k)) = z[k];
    const std::size_t half = count / 2;
    for (std::size_t j = 0; j < half; ++j) {
      Matrix W = Matrix::Identity(kSize, kSize);
      for (std::uint64_t t = 0; t < 3; ++t) {
        Vector signs(kSize);
        for (Eigen::Index k = 0; k < kSize; ++k) {
          signs(k) = hash_of({17, j / kSize, t, static_cast<std::uint64_t>(k)}) % 2 == 0 ? 1 : -1;
        }
        W = W * H * signs.asDiagonal();
      }
      W *= std::sqrt(2 * 2.5) / kSize;
      const double phase = (W * input)(static_cast<Eigen::Index>(j % kSize));
      EXPECT_NEAR(x[j], std::cos(phase) / std::sqrt(static_cast<double>(half)), 1e-13);
      EXPECT_NEAR(x[half + j], std::sin(phase) / std::sqrt(static_cast<double>(half)), 1e-13);
    }
  }
}

// Products are near the Gaussian kernel, so the frequencies have the distribution that they should have.
TEST(RandomFourier, ProductsAreNearTheKernel) {
  Sequence random(5);
  for (const double gamma : {0.1, 1.0, 4.0}) {
    const RandomFourier fourier({20000, gamma, 3}, 100);
    for (int trial = 0; trial < 10; ++trial) {
      const std::vector<double> z = sparse_row(random);
      const std::vector<double> other = sparse_row(random);
      double apart = 0;
      for (std::size_t k = 0; k < z.size(); ++k) apart += (z[k] - other[k]) * (z[k] - other[k]);
      const std::vector<double> x = features(fourier, z);
      const std::vector<double> y = features(fourier, other);
      double product = 0;
      double square = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        product += x[j] * y[j];
        square += x[j] * x[j];
      }
      EXPECT_NEAR(product, std::exp(-gamma * apart), 0.04);
      EXPECT_NEAR(square, 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace unscatter::random_fourier_test
