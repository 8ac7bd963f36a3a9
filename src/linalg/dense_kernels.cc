#include "linalg/dense_kernels.h"

#define UNSCATTER_VARIANT baseline
#include "linalg/dense_kernels.inc"

namespace unscatter::dense {

#if UNSCATTER_HAS_AVX2_KERNELS
namespace avx2 {
bool cholesky(double* A, std::ptrdiff_t n);
void add_square(double* C, std::ptrdiff_t d, const double* P, std::ptrdiff_t rows);
}  // namespace avx2
#endif

const Kernels& baseline_kernels() {
  static constexpr Kernels kBaseline{"baseline", baseline::cholesky, baseline::add_square};
  return kBaseline;
}

const Kernels* avx2_kernels() {
#if UNSCATTER_HAS_AVX2_KERNELS
  static constexpr Kernels kAvx2{"avx2", avx2::cholesky, avx2::add_square};
  static const bool available = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return available ? &kAvx2 : nullptr;
#else
  return nullptr;
#endif
}

const Kernels& kernels() {
  static const Kernels& best = avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  return best;
}

}  // namespace unscatter::dense
