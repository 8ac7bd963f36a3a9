#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "unscatter/embedding/spectral_kernel.h"

namespace unscatter {
namespace {

TEST(Itersine, IsTightOnTheWholeSpectrum) {
  for (std::size_t scales = 2; scales <= 12; ++scales) {
    const KernelBank bank = itersine(scales).value();
    ASSERT_EQ(bank.kernels.size(), scales);
    for (int i = 0; i <= 1000; ++i) {
      const double lambda = 2.0 * i / 1000;
      double energy = 0;
      for (const SpectralKernel& kernel : bank.kernels) energy += std::pow(kernel.value(lambda), 2);
      EXPECT_NEAR(energy, 1.0, 1e-14);
    }
    const KernelBankReport report = examine(bank).value();  // also holds the declared constants against the samples
    EXPECT_EQ(report.frame.lower, 1.0);
    EXPECT_EQ(report.frame.upper, 1.0);
    EXPECT_TRUE(report.frame_proven);
  }
}

// The paper's formula, with its indicator, on the stretched spectrum.
TEST(Itersine, IsThePrintedFormula) {
  using std::numbers::pi;
  constexpr std::size_t kScales = 5;
  const KernelBank bank = itersine(kScales).value();
  for (std::size_t j = 1; j <= kScales; ++j) {
    for (int i = 0; i <= 200; ++i) {
      const double lambda = 0.01 * i;
      const double x = lambda * (kScales - 1) / 4;
      const auto J = static_cast<double>(j);
      const bool inside = J / 2 - 1 <= x && x <= J / 2;
      const double expected = inside ? std::sin(pi / 2 * std::pow(std::cos(pi * (x - (J - 1) / 2)), 2)) : 0.0;
      EXPECT_NEAR(bank.kernels[j - 1].value(lambda), expected, 1e-14);
    }
  }
}

TEST(Itersine, RefusesOtherNumbersOfScales) {
  EXPECT_EQ(itersine(1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(itersine(33).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
