// The heavy arithmetic of the library, in code for the processor at hand.
//
// Plain x86-64 has two doubles per instruction; processors of the last decade have four and fused multiply-add, on
// which such work depends more than on anything else (docs/performance.md).  So these few functions are compiled twice
// and chosen at run time. Everything else stays as it is: results of these functions may differ in the last digits from
// one kind of processor to another, which no certificate minds, while embeddings remain equal bit for bit on all.
#pragma once

#include <cstddef>
#include <string_view>

#include "linalg/segment_view.h"

namespace unscatter::kernel {

// Matrices are column major and contiguous unless said otherwise.
struct Kernels {
  std::string_view name;  // "baseline" or "avx2"
  // Replaces the lower triangle of the symmetric n x n matrix A by its Cholesky factor, reading the lower triangle
  // only.  False if a pivot is not positive.
  bool (*cholesky)(double* A, std::ptrdiff_t n);
  // Lower triangle of the d x d matrix C += P^T P, with P row major, rows x d.
  void (*add_square)(double* C, std::ptrdiff_t d, const double* P, std::ptrdiff_t rows);
  // Replaces the symmetric n x n matrix A, of which the lower triangle is read, by its inverse, both triangles.  False
  // if A is not positive definite; A is then spoilt.
  bool (*invert)(double* A, std::ptrdiff_t n);
  // Y = A X, with A n x n.
  void (*multiply)(const double* A, std::ptrdiff_t n, const double* X, std::ptrdiff_t columns, double* Y);
  // A += X Y^T, with A n x n, X and Y n x columns.
  void (*add_product)(double* A, std::ptrdiff_t n, const double* X, const double* Y, std::ptrdiff_t columns);
  // y = A x and A += X Y^T in single precision.
  void (*multiply_single)(const float* A, std::ptrdiff_t n, const float* x, float* y);
  void (*add_product_single)(float* A, std::ptrdiff_t n, const float* X, const float* Y, std::ptrdiff_t columns);
  // exp(-|t|), entry by entry, to two units in the last place.
  void (*exp_minus_abs)(const double* t, std::ptrdiff_t count, double* result);
  // First and second derivative of log(1 + e^-t).
  void (*logistic_derivatives)(const double* t, std::ptrdiff_t count, double* slopes, double* curvatures);

  // At most kMostRows rows that share their segments; `columns` as padded_columns() gives them.
  // out (row major) = rows W, with W row major.
  void (*row_products)(const double* const* rows, std::size_t row_count, const SegmentView* segments, std::size_t count,
                       const double* W, std::size_t columns, double* out);
  // S (row major) += rows^T factors, with one row of factors per row.
  void (*add_rows)(const double* const* rows, std::size_t row_count, const SegmentView* segments, std::size_t count,
                   const double* factors, std::size_t columns, double* S);
};

inline constexpr std::size_t kMostRows = 4;
// Columns that the row kernels work on for `columns` of the caller's: 2, or a multiple of 4.
[[nodiscard]] constexpr std::size_t padded_columns(std::size_t columns) {
  return columns <= 2 ? 2 : (columns + 3) / 4 * 4;
}

// The fastest this processor can run.
[[nodiscard]] const Kernels& kernels();

// Each of them, for tests; null where the processor or the build lacks it.
[[nodiscard]] const Kernels& baseline_kernels();
[[nodiscard]] const Kernels* avx2_kernels();

}  // namespace unscatter::kernel
