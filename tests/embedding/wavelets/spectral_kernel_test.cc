#include "unscatter/embedding/spectral_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unscatter {
namespace {

KernelBank one_kernel(std::function<double(double)> value, std::optional<double> lipschitz = std::nullopt) {
  return {.name = "mine", .kernels = {{.name = "only", .value = std::move(value), .lipschitz = lipschitz}}};
}

TEST(Examine, ProvenBoundsEncloseTheTrueOnesAndSamplesDoNot) {
  // sum_j h_j^2 = (1 + lambda (2 - lambda))^2: 1 at both ends, 4 in the middle.
  const auto h = [](double x) { return 1 + x * (2 - x); };
  const KernelBankReport proven = examine(one_kernel(h, 2.0)).value();
  EXPECT_TRUE(proven.frame_proven);
  EXPECT_LE(proven.frame.lower, 1.0);
  EXPECT_GE(proven.frame.upper, 2.0);
  EXPECT_NEAR(proven.frame.lower, 1.0, 1e-3);
  EXPECT_NEAR(proven.frame.upper, 2.0, 1e-3);
  EXPECT_NEAR(proven.upper_at, 1.0, 1e-3);

  const KernelBankReport sampled = examine(one_kernel(h)).value();
  EXPECT_FALSE(sampled.frame_proven);
  EXPECT_NEAR(sampled.frame.upper, 2.0, 1e-9);
}

// A spike between two samples: only the Lipschitz constant can know of it.
TEST(Examine, LipschitzConstantsCoverWhatFallsBetweenSamples) {
  constexpr double kSlope = 1e4;
  const double spike_at = 1.0 + 2.4e-5;  // half way between two samples around 1
  const auto spike = [=](double x) { return 1 + std::fmax(0.0, 0.2 - kSlope * std::abs(x - spike_at)); };
  const KernelBankReport proven = examine(one_kernel(spike, kSlope)).value();
  const KernelBankReport sampled = examine(one_kernel(spike)).value();
  EXPECT_GE(proven.frame.upper, 1.2);
  EXPECT_LT(sampled.frame.upper, 1.2);
}

TEST(Examine, MeasuresTheSecondConditionOfThePaper) {
  // lambda |h'| = lambda: 2 at the end.
  EXPECT_NEAR(examine(one_kernel([](double x) { return 1 + x; })).value().lambda_derivative_estimate, 2.0, 1e-6);
}

TEST(Examine, NamesKernelAndPlaceWhereAValueIsNotFinite) {
  const Error blowing_up = examine(one_kernel([](double x) { return 1 / x; })).error();
  EXPECT_EQ(blowing_up.code, ErrorCode::kFrameCondition);
  EXPECT_NE(blowing_up.message.find("'only' of bank 'mine' is inf at lambda = 0"), std::string::npos)
      << blowing_up.message;
  const Error nan = examine(one_kernel([](double x) { return std::sqrt(1 - x); })).error();
  EXPECT_EQ(nan.code, ErrorCode::kFrameCondition);
  EXPECT_NE(nan.message.find("nan at lambda = 1.0"), std::string::npos) << nan.message;
}

TEST(Examine, HoldsDeclarationsAgainstTheSamples) {
  const Error slope = examine(one_kernel([](double x) { return 1 + 3 * x; }, 2.9)).error();
  EXPECT_EQ(slope.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(slope.message.find("Lipschitz constant 2.9"), std::string::npos) << slope.message;

  KernelBank loud = one_kernel([](double) { return 1.5; });
  loud.known_frame = FrameBounds{1, 1};
  const Error frame = examine(loud).error();
  EXPECT_EQ(frame.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(frame.message.find("1.5"), std::string::npos) << frame.message;

  EXPECT_EQ(examine(KernelBank{.name = "empty", .kernels = {}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(examine(one_kernel(nullptr)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(examine(one_kernel([](double) { return 1.0; }, -1.0)).error().code, ErrorCode::kInvalidArgument);
}

TEST(RequireFrame, NamesBankBoundValueAndPlace) {
  EXPECT_TRUE(require_frame("b", {0.5, 2}, 0.1, 1.9, {}).ok());
  const Error low = require_frame("b", {1e-4, 2}, 0.1, 1.9, {}).error();
  EXPECT_EQ(low.code, ErrorCode::kFrameCondition);
  EXPECT_EQ(low.message, "bank 'b': lower frame bound 0.0001 at lambda = 0.1, but at least 0.001 is required");
  const Error high = require_frame("b", {0.5, 11}, 0.1, 1.9, {}).error();
  EXPECT_EQ(high.message, "bank 'b': upper frame bound 11 at lambda = 1.9, but at most 10 is allowed");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(require_frame("b", {nan, 1}, 0, 0, {}).ok());
  EXPECT_FALSE(require_frame("b", {0.5, nan}, 0, 0, {}).ok());
}

}  // namespace
}  // namespace unscatter
