// Spectral wavelets: functions h_j of the eigenvalues of the normalised Laplacian.
//
//   Lap = I - D^-1/2 A D^-1/2,   spectrum in [0, 2],   H_j = h_j(Lap) = V diag(h_j(lambda)) V^T
//
// A node of degree 0 has Lap_ii = 1.  A kernel is a public constant: it must not depend on any graph.  The page
// docs/wavelets.md shows the families, their frame bounds, and how to add one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {

// The upper end of the spectrum of every normalised Laplacian.  It is public.  So kernels are scaled to it, and never
// to the largest eigenvalue of a graph.
inline constexpr double kSpectrumEnd = 2.0;

// One kernel h on [0, kSpectrumEnd].
struct SpectralKernel {
  std::string name;
  // h(lambda), called for lambda in [0, 2] only, from any number of threads at once.
  std::function<double(double)> value;
  // |h(a) - h(b)| <= lipschitz |a - b| on [0, 2], if known.  Without it, everything that the library says about the
  // kernel rests on samples.
  std::optional<double> lipschitz = std::nullopt;
};

// The kernels h_0 .. h_{J-1}. To define your own, fill in the fields; make_spectral_bank() checks them.
struct KernelBank {
  std::string name;
  std::vector<SpectralKernel> kernels;
  // lower^2 <= sum_j h_j^2 <= upper^2 on [0, 2], if proven.
  std::optional<FrameBounds> known_frame = std::nullopt;
};

// A number obtained from samples of a function.
struct SampledBound {
  double value = 0;
  // true: a bound that holds between the samples too. false: the largest value at the samples, which errs on the unsafe
  // side.
  bool proven = false;
};

// What the samples of a bank over [0, 2] show.
struct KernelBankReport {
  FrameBounds frame;          // of sum_j h_j^2 over [0, 2]
  bool frame_proven = false;  // as SampledBound::proven, for both sides
  double lower_at = 0;        // where the lower bound was seen
  double upper_at = 0;
  // The largest |lambda h_j'(lambda)| by difference quotients.  It is the constant of the paper's second condition on
  // kernels [Pan23, App. on wavelets].  An estimate that errs low.
  double lambda_derivative_estimate = 0;
};

// Samples every kernel.  Frame bounds are proven if known_frame is given or if all kernels have Lipschitz constants.
// Errors: kFrameCondition, naming kernel and lambda, where a kernel is not finite; kInvalidArgument for a bank without
// kernels, a kernel without a function, or a declared constant that the samples contradict.
[[nodiscard]] Result<KernelBankReport> examine(const KernelBank& bank);

// Which banks are acceptable.  The lower bound keeps every band of the signal alive.  The upper bound keeps the norm
// bound F = sqrt(sum_l B^(2l)) of an embedding small.
struct FrameRequirement {
  double min_lower = 1e-3;
  double max_upper = 10;
};

// kFrameCondition if `bounds` break `requirement`; the message names the bank, the bound, its value and where it
// happens.
[[nodiscard]] Status require_frame(const std::string& bank_name, const FrameBounds& bounds, double lower_at,
                                   double upper_at, const FrameRequirement& requirement);

// Spline wavelets of [Hammond11] with the kernel that [Pan23] prints:
//
//   h(x) = x (x < 1),   -5 + 11 x - 6 x^2 + x^3 (1 <= x <= 2),   2/x (x > 2)
//   h_0(lambda) = gamma exp(-(lambda / (0.6 lambda_min))^4),   gamma = max h = 1 + 2/(3 sqrt 3),   lambda_min = 2/20
//   h_j(lambda) = h(t_j lambda), t_1 > ... > t_{J-1} log-spaced from 2/lambda_min = 20 to 2/2 = 1
//
// With one wavelet (J = 2), t_1 is the geometric mean of both ends.  Errors: kInvalidArgument for scales outside 2..32.
[[nodiscard]] Result<KernelBank> monic_cubic(std::size_t scales);

// Itersine wavelets [Pan23, App. on wavelets], a tight frame (A = B = 1):
//
//   h_j(lambda) = sin(pi/2 cos^2(pi (x - (j-1)/2))) for |x - (j-1)/2| <= 1/2, else 0;   x = lambda (J-1)/4,   j = 1..J
//
// The public factor (J-1)/4 maps [0, 2] onto [0, (J-1)/2].  Two kernels at a time cover every point of that.  Errors:
// kInvalidArgument for scales outside 2..32.
[[nodiscard]] Result<KernelBank> itersine(std::size_t scales);

// Kernels given as text, for the command line:
//
//   bank   = kernel { "|" kernel }
//   kernel = piece { ";" piece }
//   piece  = from ".." to ":" c0 { [","] ck }         c0 + c1 lambda + c2 lambda^2 + ... for from <= lambda <= to
//
// "0..1: 1 -1 | 0..1: 0 1; 1..2: 1" is a low-pass kernel that falls from 1 to 0 and a high-pass kernel that rises and
// stays.  Blanks are free. 0 <= from < to <= 2.  Pieces ascend.  Where two meet, the later one counts.  Where there is
// none, the kernel is 0.  A continuous kernel gets a Lipschitz constant; one with jumps gets none.  Errors:
// kInvalidArgument, naming the character and what was found there; also for more than 32 kernels, 256 pieces or 64
// coefficients.
[[nodiscard]] Result<KernelBank> piecewise_polynomial(std::string_view text);

}  // namespace unscatter
