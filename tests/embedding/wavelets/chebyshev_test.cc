#include "embedding/wavelets/chebyshev.h"

#include <gtest/gtest.h>

#include <cmath>

namespace unscatter {
namespace {

TEST(ChebyshevSeries, ReproducesPolynomials) {
  const SpectralKernel cubic{
      .name = "cubic", .value = [](double x) { return -5 + x * (11 + x * (-6 + x)); }, .lipschitz = 11.0};
  for (const std::size_t degree : {3u, 4u, 20u}) {
    const ChebyshevSeries series = chebyshev_series(cubic, degree);
    for (int i = 0; i <= 100; ++i) EXPECT_NEAR(evaluate(series.coefficients, 0.02 * i), cubic.value(0.02 * i), 1e-12);
    EXPECT_TRUE(series.error.proven);
    EXPECT_LE(series.error.value, 1e-3);  // the slack between samples is all that is left
  }
  EXPECT_GT(chebyshev_series(cubic, 2).error.value, 0.2);  // u^3 without T_3/4
}

TEST(ChebyshevSeries, EvaluatesChebyshevPolynomials) {
  for (std::size_t k = 0; k < 12; ++k) {
    std::vector<double> c(k + 1, 0.0);
    c[k] = 1;
    for (double theta = 0; theta < 3.1; theta += 0.1) {
      EXPECT_NEAR(evaluate(c, 1 + std::cos(theta)), std::cos(static_cast<double>(k) * theta), 1e-12);
    }
  }
}

// The proven error holds at points that no grid knows; without a Lipschitz constant the report says that it is none.
TEST(ChebyshevSeries, ProvenErrorHoldsBetweenTheSamples) {
  const KernelBank bank = monic_cubic(4).value();
  for (SpectralKernel kernel : bank.kernels) {
    const ChebyshevSeries series = chebyshev_series(kernel, 24);
    double largest = 0;
    for (double x = 0; x <= 2; x += 1.7e-5)
      largest = std::max(largest, std::abs(kernel.value(x) - evaluate(series.coefficients, x)));
    EXPECT_TRUE(series.error.proven);
    EXPECT_LE(largest, series.error.value);
    EXPECT_LE(series.error.value, largest + 5e-3);

    kernel.lipschitz.reset();
    const SampledBound estimate = chebyshev_series(kernel, 24).error;
    EXPECT_FALSE(estimate.proven);
    EXPECT_LE(estimate.value, series.error.value);
  }
}

}  // namespace
}  // namespace unscatter
