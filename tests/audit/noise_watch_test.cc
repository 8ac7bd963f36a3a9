// The checks of the noise: probabilities against exact ones, and every check with a fault that it must see.
#include "audit/noise_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "audit/normal_matrix.h"

namespace unscatter {
namespace {

using testing::normal_matrix;

TEST(NoiseWatch, ProbabilitiesAreUpperBoundsAndNotUseless) {
  for (const double count : {1.0, 10.0, 1000.0}) {
    const boost::math::chi_squared squares(count);
    for (const double ratio : {0.2, 0.8, 0.97, 1.03, 1.3, 3.0}) {
      const double exact = ratio > 1 ? boost::math::cdf(boost::math::complement(squares, ratio * count))
                                     : boost::math::cdf(squares, ratio * count);
      const double bound = squares_probability_upper_bound(ratio * count, count);
      EXPECT_GE(bound, std::min(1.0, 2 * exact)) << count << " " << ratio;
      if (exact > 0) {
        EXPECT_LT(std::log(bound), 0.8 * std::log(exact) + 3) << count << " " << ratio;
      }
    }
  }
  // Two products add up to a Laplace distribution.
  for (const double a : {0.5, 3.0, 10.0, 40.0}) {
    EXPECT_GE(products_probability_upper_bound(a, 2), std::min(1.0, std::exp(-a)));
    EXPECT_EQ(products_probability_upper_bound(a, 2), products_probability_upper_bound(-a, 2));
  }
  EXPECT_LT(products_probability_upper_bound(700, 10000), 1e-9);
  for (const double odd : {3.0, 40.0, 50.0, 66.0, 100.0}) {
    const boost::math::binomial coin(100, 0.5);
    const double exact =
        odd > 50 ? boost::math::cdf(boost::math::complement(coin, odd - 1)) : boost::math::cdf(coin, odd);
    EXPECT_GE(coin_probability_upper_bound(odd, 100), std::min(1.0, exact)) << odd;
  }
  EXPECT_LT(coin_probability_upper_bound(0, 100), 1e-20);
}

constexpr double kWatchedSigma = 0.75;
constexpr double kGrid = 0x1p-33;

using Publish = std::function<Matrix(const Matrix& kept, const Matrix& noise, std::size_t draw)>;

Matrix honest(const Matrix& kept, const Matrix& noise, std::size_t /*draw*/) {
  return ((kept + kWatchedSigma * noise).array() / kGrid).round() * kGrid;
}

std::vector<NoiseCheck> watch(const Publish& publish, std::uint64_t seed) {
  Sequence random(seed);
  const Matrix reference = normal_matrix(random, 15, 3), test = normal_matrix(random, 15, 3);
  NoiseWatch watch(reference, test, kWatchedSigma, kGrid);
  for (std::size_t draw = 0; draw < 1000; ++draw) {
    const Matrix shown = publish(reference, normal_matrix(random, 15, 3), draw);
    watch.see(shown, publish(test, normal_matrix(random, 15, 3), draw));
  }
  return watch.report();
}

std::string failed(const std::vector<NoiseCheck>& checks) {
  std::string names;
  for (const NoiseCheck& check : checks) {
    if (!check.passed) names += check.name + " ";
  }
  return names;
}

TEST(NoiseWatch, HonestNoisePasses) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto checks = watch(honest, seed);
    EXPECT_EQ(checks.size(), 7u);
    EXPECT_EQ(failed(checks), "");
  }
}

TEST(NoiseWatch, EveryCheckSeesItsFault) {
  const Matrix fixed = [] {
    Sequence random(99);
    return normal_matrix(random, 15, 3);
  }();
  // Three per cent too little everywhere.
  EXPECT_NE(failed(watch([](const Matrix& kept, const Matrix& noise,
                            std::size_t draw) { return honest(kept, 0.97 * noise, draw); },
                         1))
                .find("size"),
            std::string::npos);
  // Less in one class, and more in another one: the whole is as it should be.
  EXPECT_EQ(failed(watch(
                [](const Matrix& kept, Matrix noise, std::size_t draw) {
                  noise.col(0) *= std::sqrt(0.9);
                  noise.col(2) *= std::sqrt(1.1);
                  return honest(kept, noise, draw);
                },
                2)),
            "classes ");
  // None at one weight of 45, which others make up for.
  EXPECT_EQ(failed(watch(
                       [](const Matrix& kept, Matrix noise, std::size_t draw) {
                         noise(4, 1) = 0;
                         return honest(kept, noise, draw);
                       },
                       3))
                    .find("coordinates") != std::string::npos,
            true);
  // The second of two models has the noise of the first.
  EXPECT_NE(failed(watch(
                       [&](const Matrix& kept, const Matrix& noise, std::size_t draw) {
                         return honest(kept, draw % 2 == 1 ? Matrix(0.9 * noise + std::sqrt(0.19) * fixed) : fixed,
                                       draw);
                       },
                       4))
                .find("repeats"),
            std::string::npos);
  // Both worlds draw from one seed.
  EXPECT_EQ(failed(watch(
                [](const Matrix& kept, const Matrix&, std::size_t draw) {
                  Sequence random(1000 + draw);
                  return honest(kept, normal_matrix(random, 15, 3), draw);
                },
                5)),
            "worlds ");
  // Floating-point noise, not on the grid.
  EXPECT_EQ(failed(watch([](const Matrix& kept, const Matrix& noise,
                            std::size_t) { return Matrix(kept + kWatchedSigma * noise); },
                         6)),
            "grid ");
  // Fewer digits than the grid has.
  EXPECT_EQ(
      failed(watch([](const Matrix& kept, const Matrix& noise,
                      std::size_t draw) { return Matrix(honest(kept, noise, draw).cast<float>().cast<double>()); },
                   7)),
      "positions ");
}

}  // namespace
}  // namespace unscatter
