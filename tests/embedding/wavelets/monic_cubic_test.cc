#include <gtest/gtest.h>

#include <cmath>

#include "unscatter/embedding/spectral_kernel.h"

namespace unscatter {
namespace {

double printed_formula(double x) {
  if (x < 1) return x;
  if (x <= 2) return -5 + 11 * x - 6 * x * x + x * x * x;
  return 2 / x;
}

TEST(MonicCubic, IsThePrintedKernelAtLogSpacedScales) {
  for (std::size_t scales = 3; scales <= 6; ++scales) {
    const KernelBank bank = monic_cubic(scales).value();
    ASSERT_EQ(bank.kernels.size(), scales);
    const double ratio = std::pow(1.0 / 20, 1.0 / static_cast<double>(scales - 2));
    double scale = 20;
    for (std::size_t j = 1; j < scales; ++j, scale *= ratio) {
      for (int i = 0; i <= 200; ++i) {
        EXPECT_NEAR(bank.kernels[j].value(0.01 * i), printed_formula(scale * 0.01 * i), 1e-12);
      }
    }
  }
}

TEST(MonicCubic, LowPassStartsAtTheMaximumOfTheWavelets) {
  const KernelBank bank = monic_cubic(4).value();
  double largest = 0;
  for (int i = 0; i <= 20000; ++i) largest = std::max(largest, bank.kernels[2].value(1e-4 * i));
  EXPECT_NEAR(bank.kernels[0].value(0), largest, 1e-6);
  EXPECT_LT(bank.kernels[0].value(0.15), 1e-12);
}

// The wavelets alone vanish at 0; the low-pass kernel is what makes a frame.
TEST(MonicCubic, IsAFrameForEveryNumberOfScales) {
  for (std::size_t scales = 2; scales <= 32; scales += scales < 8 ? 1 : 6) {
    const KernelBankReport report = examine(monic_cubic(scales).value()).value();
    EXPECT_TRUE(report.frame_proven);
    EXPECT_GT(report.frame.lower, 0.2) << scales;
    EXPECT_LT(report.frame.upper, 10) << scales;
    // lambda |d/dlambda h(t lambda)| does not depend on the scale: at most 2 for the wavelets (at t lambda = 1), 4
    // gamma / e for the low-pass kernel.
    EXPECT_LE(report.lambda_derivative_estimate, 2.04) << scales;
  }
}

// docs/wavelets.md prints these.
TEST(MonicCubic, FrameBoundsAreThoseOfTheDocumentation) {
  constexpr double kTable[][2] = {
      {0.2236, 1.3851}, {0.4467, 1.4353}, {0.9569, 1.4556}, {1.0755, 1.5810}, {1.1346, 1.7361}};
  for (std::size_t scales = 2; scales <= 6; ++scales) {
    const FrameBounds frame = examine(monic_cubic(scales).value()).value().frame;
    EXPECT_NEAR(frame.lower, kTable[scales - 2][0], 5e-4) << scales;
    EXPECT_NEAR(frame.upper, kTable[scales - 2][1], 5e-4) << scales;
  }
}

TEST(MonicCubic, RefusesOtherNumbersOfScales) {
  EXPECT_EQ(monic_cubic(1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(monic_cubic(33).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
