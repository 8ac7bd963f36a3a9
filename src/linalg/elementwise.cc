#include "unscatter/linalg/elementwise.h"

#include <cstddef>

#include "linalg/dense_kernels.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

void exp_minus_abs(std::span<const double> x, std::span<double> result) {
  invariant(x.size() == result.size(), "exp_minus_abs(): as many results as arguments");
  dense::kernels().exp_minus_abs(x.data(), static_cast<std::ptrdiff_t>(x.size()), result.data());
}

}  // namespace unscatter
