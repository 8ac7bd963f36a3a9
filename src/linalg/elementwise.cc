#include "linalg/elementwise.h"

#include <cstddef>

#include "linalg/kernels.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

void exp_minus_abs(std::span<const double> x, std::span<double> result) {
  invariant(x.size() == result.size(), "exp_minus_abs(): as many results as arguments");
  kernel::kernels().exp_minus_abs(x.data(), static_cast<std::ptrdiff_t>(x.size()), result.data());
}

void logistic_derivatives(std::span<const double> t, std::span<double> slopes, std::span<double> curvatures) {
  invariant(t.size() == slopes.size() && t.size() == curvatures.size(),
            "logistic_derivatives(): as many results as arguments");
  kernel::kernels().logistic_derivatives(t.data(), static_cast<std::ptrdiff_t>(t.size()), slopes.data(),
                                         curvatures.data());
}

}  // namespace unscatter
