// Products with rows that lie one behind the other, without gaps, for one column at a time: compiled for the processor
// at hand, as kernels.h.  Results may differ in the last digits from one kind of processor to another.
#pragma once

#include <cstddef>
#include <string_view>

namespace unscatter::kernel {

// Rows are `width` values each, and `width` is a multiple of kDenseWidth.
inline constexpr std::size_t kDenseWidth = 8;

struct DenseRowKernels {
  std::string_view name;  // "baseline" or "avx2"
  // out[r] = row r times x
  void (*products)(const double* rows, std::size_t count, std::size_t width, const double* x, double* out);
  // sums += factors[0] row 0 + factors[1] row 1 + ...
  void (*add)(const double* rows, std::size_t count, std::size_t width, const double* factors, double* sums);
};

// The fastest variant that this processor can run.
[[nodiscard]] const DenseRowKernels& dense_row_kernels();

// Each variant, for tests.  Null where the processor or the build lacks it.
[[nodiscard]] const DenseRowKernels& baseline_dense_row_kernels();
[[nodiscard]] const DenseRowKernels* avx2_dense_row_kernels();

}  // namespace unscatter::kernel
