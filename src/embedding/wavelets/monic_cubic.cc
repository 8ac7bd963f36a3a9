#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "unscatter/embedding/spectral_kernel.h"

namespace unscatter {
namespace {

// Public constants of [Hammond11, Sec. 8].  The design range of the scales starts at a twentieth of the spectrum.
constexpr double kLambdaMin = kSpectrumEnd / 20;
constexpr double kLowPassWidth = 0.6 * kLambdaMin;
constexpr double kCoarsest = 2 / kLambdaMin;
constexpr double kFinest = 2 / kSpectrumEnd;

// [Pan23, App. on wavelets]. [Hammond11] fits this cubic between x^2 and 4/x^2, where it joins with equal slopes.  The
// paper prints x and 2/x instead, and so do we.  Between those it joins with kinks at 1 and 2.
double monic_cubic_mother(double x) {
  if (x < 1) return x;
  if (x > 2) return 2 / x;
  return -5 + x * (11 + x * (-6 + x));
}

// The slope is 1 below 1.  On [1, 2] it is 11 - 12 x + 3 x^2, which falls from 2 to -1.  Above 2 it is at most 1/2 in
// size.
constexpr double kMotherLipschitz = 2;

// With u = x - 2 the cubic is u^3 - u + 1.  It is largest at u = -1/sqrt(3).
constexpr double kMotherMaximum = 1 + 2 / (3 * std::numbers::sqrt3);

SpectralKernel low_pass() {
  // The slope of exp(-u^4) is 4 u^3 exp(-u^4) in size.  Its peak is 1.5227, at u^4 = 3/4; 1.523 is rounded up.
  return {.name = "monic cubic low-pass",
          .value = [](double lambda) { return kMotherMaximum * std::exp(-std::pow(lambda / kLowPassWidth, 4)); },
          .lipschitz = kMotherMaximum * 1.523 / kLowPassWidth};
}

SpectralKernel wavelet(double scale) {
  return {.name = fmt::format("monic cubic at scale {:.4g}", scale),
          .value = [scale](double lambda) { return monic_cubic_mother(scale * lambda); },
          .lipschitz = kMotherLipschitz * scale};
}

}  // namespace

Result<KernelBank> monic_cubic(std::size_t scales) {
  if (scales < 2 || scales > 32) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("monic cubic with {} scales; 2 to 32 are possible", scales)};
  }
  KernelBank bank{.name = "monic-cubic", .kernels = {low_pass()}};
  const std::size_t wavelets = scales - 1;
  for (std::size_t j = 0; j < wavelets; ++j) {
    // A single wavelet sits in the middle.  At either end, the bank would nearly miss the other end of the spectrum.
    const double position = wavelets == 1 ? 0.5 : static_cast<double>(j) / static_cast<double>(wavelets - 1);
    bank.kernels.push_back(wavelet(kCoarsest * std::pow(kFinest / kCoarsest, position)));
  }
  return bank;
}

}  // namespace unscatter
