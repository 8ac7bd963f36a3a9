#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "unscatter/embedding/spectral_kernel.h"

namespace unscatter {
namespace {

using std::numbers::pi;

// The mother kernel around its centre.  Neighbours are half a unit apart, and cos^2 of one argument is sin^2 of the
// other.  So the squares of two neighbours add up to 1.
double itersine_mother(double x) {
  if (std::abs(x) >= 0.5) return 0;
  const double c = std::cos(pi * x);
  return std::sin(0.5 * pi * c * c);
}

}  // namespace

Result<KernelBank> itersine(std::size_t scales) {
  if (scales < 2 || scales > 32) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("itersine with {} scales; 2 to 32 are possible", scales)};
  }
  // The paper's formula covers [0, (J-1)/2].  The spectrum [0, 2] is stretched onto that.
  const double stretch = static_cast<double>(scales - 1) / 4.0;
  KernelBank bank{.name = "itersine", .kernels = {}, .known_frame = FrameBounds{1.0, 1.0}};
  for (std::size_t j = 0; j < scales; ++j) {
    const double centre = 0.5 * static_cast<double>(j);
    bank.kernels.push_back({.name = fmt::format("itersine {}", j + 1),
                            .value = [=](double lambda) { return itersine_mother(stretch * lambda - centre); },
                            // |d/dx sin(pi/2 cos^2(pi x))| = pi^2/2 |sin(2 pi x) cos(...)| <= pi^2/2.
                            .lipschitz = 0.5 * pi * pi * stretch});
  }
  return bank;
}

}  // namespace unscatter
