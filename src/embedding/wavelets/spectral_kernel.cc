#include "unscatter/embedding/spectral_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "embedding/wavelets/spectrum_grid.h"

namespace unscatter {
namespace {

// Kernels are evaluated in a few roundings.  Declared constants are compared with samples with this much leeway, and
// proven bounds are widened by it.
constexpr double kRounding = 1e-12;

Status check_form(const KernelBank& bank) {
  if (bank.kernels.empty()) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("the kernel bank '{}' has no kernels", bank.name)};
  }
  for (const SpectralKernel& kernel : bank.kernels) {
    if (!kernel.value) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("kernel '{}' of bank '{}' has no function", kernel.name, bank.name)};
    }
    if (kernel.lipschitz && !(*kernel.lipschitz >= 0 && std::isfinite(*kernel.lipschitz))) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("kernel '{}' of bank '{}' declares the Lipschitz constant {}", kernel.name, bank.name,
                               *kernel.lipschitz)};
    }
  }
  return ok_status();
}

// One sample of a kernel, or the reason why the bank is refused.
Result<double> sample(const KernelBank& bank, const SpectralKernel& kernel, double lambda) {
  const double value = kernel.value(lambda);
  if (!std::isfinite(value)) {
    return Error{ErrorCode::kFrameCondition,
                 fmt::format("kernel '{}' of bank '{}' is {} at lambda = {}", kernel.name, bank.name, value, lambda)};
  }
  return value;
}

// Extremes of sum_j h_j^2 or of its proven bounds between samples, and where they were seen.
struct Extremes {
  double lower = std::numeric_limits<double>::infinity();
  double upper = 0;
  double lower_at = 0;
  double upper_at = 0;

  void see(double low, double high, double lambda) {
    // The place is kept for the message: it tells users where to change a kernel.
    if (low < lower) lower = low, lower_at = lambda;
    if (high > upper) upper = high, upper_at = lambda;
  }
};

Status check_known_frame(const KernelBank& bank, const Extremes& seen) {
  const FrameBounds& known = *bank.known_frame;
  const double low = known.lower * known.lower;
  const double high = known.upper * known.upper;
  if (known.lower >= 0 && seen.lower >= low - kRounding * (1 + low) && seen.upper <= high + kRounding * (1 + high)) {
    return ok_status();
  }
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("bank '{}' declares the frame bounds {} and {}, but its samples reach {} (at lambda = {}) and {} (at "
                  "lambda = {})",
                  bank.name, known.lower, known.upper, std::sqrt(seen.lower), seen.lower_at, std::sqrt(seen.upper),
                  seen.upper_at)};
}

}  // namespace

Result<KernelBankReport> examine(const KernelBank& bank) {
  // `samples` holds what the samples show, `between` what a Lipschitz constant proves between two of them.
  UNSCATTER_CHECK_OK(check_form(bank));
  const bool all_lipschitz = std::all_of(bank.kernels.begin(), bank.kernels.end(),
                                         [](const SpectralKernel& k) { return k.lipschitz.has_value(); });

  KernelBankReport report;
  Extremes samples;
  Extremes between;
  std::vector<double> last(bank.kernels.size(), 0.0);
  double last_lambda = 0;
  for (std::size_t i = 0; i <= kGridIntervals; ++i) {
    const double lambda = grid_lambda(i);
    const double step = lambda - last_lambda;
    double energy = 0;
    double peak = 0;
    double trough = 0;
    for (std::size_t j = 0; j < bank.kernels.size(); ++j) {
      const SpectralKernel& kernel = bank.kernels[j];
      UNSCATTER_TRY(value, sample(bank, kernel, lambda));
      energy += value * value;
      if (i > 0) {
        const double change = std::abs(value - last[j]);
        const double noise = kRounding * (1 + std::abs(value));
        // A constant that is too small would make the proven bounds false.  Samples cannot prove a constant, but they
        // can refute it.
        if (kernel.lipschitz && change > *kernel.lipschitz * step + noise) {
          return Error{
              ErrorCode::kInvalidArgument,
              fmt::format("kernel '{}' of bank '{}' declares the Lipschitz constant {}, but changes by {} between "
                          "lambda = {} and {}",
                          kernel.name, bank.name, *kernel.lipschitz, change, last_lambda, lambda)};
        }
        // |lambda h'(lambda)| by differences: the paper's second condition on kernels.
        report.lambda_derivative_estimate = std::max(report.lambda_derivative_estimate, lambda * change / step);
        // A Lipschitz kernel stays inside two cones over its neighbouring samples (spectrum_grid.h).
        const double variation = kernel.lipschitz.value_or(0) * step + noise;
        const double high = peak_between(last[j], value, variation);
        const double low = trough_between(last[j], value, variation);
        peak += high * high;
        trough += low * low;
      }
      last[j] = value;
    }
    samples.see(energy, energy, lambda);
    if (i > 0) between.see(trough, peak, lambda);
    last_lambda = lambda;
  }

  if (bank.known_frame) UNSCATTER_CHECK_OK(check_known_frame(bank, samples));
  // Rounded outwards in both cases: the lower bound down, the upper bound up.
  const Extremes& shown = all_lipschitz ? between : samples;
  report.frame = bank.known_frame.value_or(FrameBounds{std::sqrt(shown.lower) * (1 - kRounding),  //
                                                       std::sqrt(shown.upper) * (1 + kRounding)});
  report.frame_proven = bank.known_frame.has_value() || all_lipschitz;
  report.lower_at = samples.lower_at;
  report.upper_at = samples.upper_at;
  return report;
}

Status require_frame(const std::string& bank_name, const FrameBounds& bounds, double lower_at, double upper_at,
                     const FrameRequirement& requirement) {
  // Written as !(a >= b), so that NaN fails too.
  if (!(bounds.lower >= requirement.min_lower)) {
    return Error{ErrorCode::kFrameCondition,
                 fmt::format("bank '{}': lower frame bound {:.6g} at lambda = {:.6g}, but at least {:g} is required",
                             bank_name, bounds.lower, lower_at, requirement.min_lower)};
  }
  if (!(bounds.upper <= requirement.max_upper)) {
    return Error{ErrorCode::kFrameCondition,
                 fmt::format("bank '{}': upper frame bound {:.6g} at lambda = {:.6g}, but at most {:g} is allowed",
                             bank_name, bounds.upper, upper_at, requirement.max_upper)};
  }
  return ok_status();
}

}  // namespace unscatter
