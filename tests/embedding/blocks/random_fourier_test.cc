#include "embedding/blocks/random_fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <thread>

#include "unscatter/base/random.h"

namespace unscatter::random_fourier_test {
namespace {

std::uint64_t mix(std::uint64_t a) {
  a *= 0x9E3779B97F4A7C15u;
  a ^= a >> 29;
  a *= 0xC2B2AE3D27D4EB4Fu;
  a ^= a >> 32;
  return a;
}

double unit(std::uint64_t seed, std::uint64_t k, std::uint64_t i) {
  std::uint64_t h = 0;
  for (const std::uint64_t c : {seed, k, i}) h = mix(h * 0x165667B19E3779F9u + mix(c));
  return static_cast<double>(h >> 11) / std::pow(2.0, 53);
}

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

TEST(RandomFourier, IsTheFormula) {
  for (const std::size_t count : {2u, 6u, 64u, 130u}) {
    const FourierStep step{count, 2.5, 17};
    const RandomFourier fourier(step, 9);
    Sequence random(count);
    const std::vector<double> z = random_row(random, 9);
    const std::vector<double> x = features(fourier, z);
    const std::size_t half = count / 2;
    for (std::size_t j = 0; j < half; ++j) {
      double phase = 0;
      for (std::size_t k = 0; k < z.size(); ++k) {
        const std::size_t i = j / 2;
        const double r = std::sqrt(-4 * 2.5 * std::log(1 - unit(17, k, 2 * i)));
        const double a = 2 * std::numbers::pi * unit(17, k, 2 * i + 1);
        phase += z[k] * r * (j % 2 == 0 ? std::cos(a) : std::sin(a));
      }
      EXPECT_NEAR(x[j], std::cos(phase) / std::sqrt(static_cast<double>(half)), 1e-13);
      EXPECT_NEAR(x[half + j], std::sin(phase) / std::sqrt(static_cast<double>(half)), 1e-13);
    }
  }
}

// Products are near the Gaussian kernel, so the frequencies have the distribution that they should have.
TEST(RandomFourier, ProductsAreNearTheKernel) {
  Sequence random(5);
  for (const double gamma : {0.1, 1.0, 4.0}) {
    const RandomFourier fourier({20000, gamma, 3}, 30);
    for (int trial = 0; trial < 10; ++trial) {
      const std::vector<double> z = random_row(random, 30);
      const std::vector<double> other = random_row(random, 30);
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

TEST(RandomFourier, ThreadsThatDrawAtTheSameTimeDrawTheSame) {
  const FourierStep step{512, 1, 9};
  std::vector<double> z(200, 0.01);
  const std::vector<double> expected = features(RandomFourier(step, z.size()), z);
  const RandomFourier shared(step, z.size());
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& one : found) threads.emplace_back([&] { one = features(shared, z); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& one : found) EXPECT_EQ(one, expected);
}

}  // namespace
}  // namespace unscatter::random_fourier_test
