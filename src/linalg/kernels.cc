#include "linalg/kernels.h"

#define UNSCATTER_VARIANT baseline
#include "linalg/kernels.inc"

namespace unscatter::kernel {

#if UNSCATTER_HAS_AVX2_KERNELS
// Declared here and not in a header: segment_view.h says why the other variant includes so little.
namespace avx2 {
bool cholesky(double* A, std::ptrdiff_t n);
void add_square(double* C, std::ptrdiff_t d, const double* P, std::ptrdiff_t rows);
void add_square_columns(double* C, std::ptrdiff_t d, std::ptrdiff_t first, std::ptrdiff_t last, const double* P,
                        std::ptrdiff_t rows);
bool invert(double* A, std::ptrdiff_t n);
void multiply(const double* A, std::ptrdiff_t n, const double* X, std::ptrdiff_t columns, double* Y);
void multiply_lower(const double* A, std::ptrdiff_t n, std::ptrdiff_t part, std::ptrdiff_t parts, const double* X,
                    std::ptrdiff_t columns, double* Y);
void add_product(double* A, std::ptrdiff_t n, const double* X, const double* Y, std::ptrdiff_t columns);
void add_product_lower(double* A, std::ptrdiff_t n, std::ptrdiff_t first, std::ptrdiff_t last, const double* X,
                       const double* Y, std::ptrdiff_t columns);
void add_and_multiply_lower(double* A, std::ptrdiff_t n, std::ptrdiff_t part, std::ptrdiff_t parts, const double* added,
                            const double* scaled, std::ptrdiff_t added_columns, const double* X, std::ptrdiff_t columns,
                            double* Y);
void multiply_single(const float* A, std::ptrdiff_t n, std::ptrdiff_t first, std::ptrdiff_t last, const float* X,
                     std::ptrdiff_t columns, float* Y);
void add_product_single(float* A, std::ptrdiff_t n, const float* X, const float* Y, std::ptrdiff_t columns);
void exp_minus_abs(const double* t, std::ptrdiff_t count, double* result);
void logistic_derivatives(const double* t, std::ptrdiff_t count, double* slopes, double* curvatures);
void row_products(const double* const* rows, std::size_t row_count, const SegmentView* segments, std::size_t count,
                  const double* W, std::size_t columns, double* out);
void add_rows(const double* const* rows, std::size_t row_count, const SegmentView* segments, std::size_t count,
              const double* factors, std::size_t columns, double* S);
void single_row_products(const float* rows, std::size_t count, std::size_t stride, const float* X, std::size_t columns,
                         float* out, std::size_t out_stride);
void add_single_rows(const float* rows, std::size_t count, std::size_t stride, const float* factors,
                     std::size_t factor_stride, std::size_t columns, float* S);
}  // namespace avx2
#endif

const Kernels& baseline_kernels() {
  static constexpr Kernels kBaseline{"baseline",
                                     baseline::cholesky,
                                     baseline::add_square,
                                     baseline::add_square_columns,
                                     baseline::invert,
                                     baseline::multiply,
                                     baseline::multiply_lower,
                                     baseline::add_product,
                                     baseline::add_product_lower,
                                     baseline::add_and_multiply_lower,
                                     baseline::multiply_single,
                                     baseline::add_product_single,
                                     baseline::exp_minus_abs,
                                     baseline::logistic_derivatives,
                                     baseline::row_products,
                                     baseline::add_rows,
                                     baseline::single_row_products,
                                     baseline::add_single_rows};
  return kBaseline;
}

const Kernels* avx2_kernels() {
#if UNSCATTER_HAS_AVX2_KERNELS
  static constexpr Kernels kAvx2{"avx2",
                                 avx2::cholesky,
                                 avx2::add_square,
                                 avx2::add_square_columns,
                                 avx2::invert,
                                 avx2::multiply,
                                 avx2::multiply_lower,
                                 avx2::add_product,
                                 avx2::add_product_lower,
                                 avx2::add_and_multiply_lower,
                                 avx2::multiply_single,
                                 avx2::add_product_single,
                                 avx2::exp_minus_abs,
                                 avx2::logistic_derivatives,
                                 avx2::row_products,
                                 avx2::add_rows,
                                 avx2::single_row_products,
                                 avx2::add_single_rows};
  // Both are asked for: a virtual machine may offer one without the other.
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

}  // namespace unscatter::kernel
