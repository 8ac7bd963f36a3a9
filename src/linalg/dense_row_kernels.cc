#include "linalg/dense_row_kernels.h"

#define UNSCATTER_VARIANT baseline
#include "linalg/dense_row_kernels.inc"
#undef UNSCATTER_VARIANT

namespace unscatter::kernel {

#if UNSCATTER_HAS_AVX2_KERNELS
namespace avx2 {
void dense_products(const double* rows, std::size_t count, std::size_t width, const double* x, double* out);
void add_dense_rows(const double* rows, std::size_t count, std::size_t width, const double* factors, double* sums);
}  // namespace avx2
#endif

const DenseRowKernels& baseline_dense_row_kernels() {
  static constexpr DenseRowKernels kBaseline{"baseline", baseline::dense_products, baseline::add_dense_rows};
  return kBaseline;
}

const DenseRowKernels* avx2_dense_row_kernels() {
#if UNSCATTER_HAS_AVX2_KERNELS
  static constexpr DenseRowKernels kAvx2{"avx2", avx2::dense_products, avx2::add_dense_rows};
  static const bool available = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return available ? &kAvx2 : nullptr;
#else
  return nullptr;
#endif
}

const DenseRowKernels& dense_row_kernels() {
  static const DenseRowKernels& best =
      avx2_dense_row_kernels() != nullptr ? *avx2_dense_row_kernels() : baseline_dense_row_kernels();
  return best;
}

}  // namespace unscatter::kernel
