// The heavy arithmetic of the library, compiled for the processor at hand.
//
// Plain x86-64 has two doubles per instruction.  Processors of the last decade have four, and fused multiply-add.
// Dense algebra depends on this more than on anything else (docs/performance.md).  So these few functions are compiled
// twice, and one variant is chosen at run time.
//
// Results may differ in the last digits from one kind of processor to another.  No certificate minds: each one bounds
// the rounding of the numbers as they were computed.  Embeddings do not use these functions and are equal bit for bit
// on all processors.
#pragma once

#include <cstddef>
#include <string_view>

#include "linalg/segment_view.h"

namespace unscatter::kernel {

// Matrices are column major and contiguous unless said otherwise.
struct Kernels {
  std::string_view name;  // "baseline" or "avx2"
  // Replaces the lower triangle of the symmetric n x n matrix A by its Cholesky factor.  Reads the lower triangle only.
  // False if a pivot is not positive.
  bool (*cholesky)(double* A, std::ptrdiff_t n);
  // Lower triangle of the d x d matrix C += P^T P, with P row major, rows x d.
  void (*add_square)(double* C, std::ptrdiff_t d, const double* P, std::ptrdiff_t rows);
  // The same for the columns [first, last) of C alone.
  void (*add_square_columns)(double* C, std::ptrdiff_t d, std::ptrdiff_t first, std::ptrdiff_t last, const double* P,
                             std::ptrdiff_t rows);
  // Replaces the symmetric n x n matrix A by its inverse.  Reads the lower triangle and writes both.  False if A is not
  // positive definite; A is then spoilt.
  bool (*invert)(double* A, std::ptrdiff_t n);
  // Y = A X, with A n x n.
  void (*multiply)(const double* A, std::ptrdiff_t n, const double* X, std::ptrdiff_t columns, double* Y);
  // Y = A X, with A n x n and symmetric.  Reads the lower triangle only.  In parts: the sum of Y over all of them is
  // A X.  Parts read different columns of A.
  void (*multiply_lower)(const double* A, std::ptrdiff_t n, std::ptrdiff_t part, std::ptrdiff_t parts, const double* X,
                         std::ptrdiff_t columns, double* Y);
  // A += X Y^T, with A n x n, X and Y n x columns.
  void (*add_product)(double* A, std::ptrdiff_t n, const double* X, const double* Y, std::ptrdiff_t columns);
  // Columns [first, last) of the lower triangle of A += X Y^T, which is symmetric.  With more than two columns X, zeros
  // are written above the diagonal, in lines [first, last).
  void (*add_product_lower)(double* A, std::ptrdiff_t n, std::ptrdiff_t first, std::ptrdiff_t last, const double* X,
                            const double* Y, std::ptrdiff_t columns);
  // add_product_lower() of the columns of this part with `added` and `scaled`, then multiply_lower(), in one pass over
  // A.
  void (*add_and_multiply_lower)(double* A, std::ptrdiff_t n, std::ptrdiff_t part, std::ptrdiff_t parts,
                                 const double* added, const double* scaled, std::ptrdiff_t added_columns,
                                 const double* X, std::ptrdiff_t columns, double* Y);
  // Rows [first, last) of Y = A X for a symmetric A, in one pass over A, and A += X Y^T; in single precision.
  void (*multiply_single)(const float* A, std::ptrdiff_t n, std::ptrdiff_t first, std::ptrdiff_t last, const float* X,
                          std::ptrdiff_t columns, float* Y);
  void (*add_product_single)(float* A, std::ptrdiff_t n, const float* X, const float* Y, std::ptrdiff_t columns);
  // exp(-|t|), entry by entry, to two units in the last place.
  void (*exp_minus_abs)(const double* t, std::ptrdiff_t count, double* result);
  // First and second derivative of log(1 + e^-t).
  void (*logistic_derivatives)(const double* t, std::ptrdiff_t count, double* slopes, double* curvatures);

  // The row kernels.  They take at most kMostRows rows that share their segments, and as many columns as
  // padded_columns() says.  W, out, factors and S are row major.
  // out = rows W
  void (*row_products)(const double* const* rows, std::size_t row_count, const SegmentView* segments, std::size_t count,
                       const double* W, std::size_t columns, double* out);
  // S += rows^T factors, with one row of factors per row.
  void (*add_rows)(const double* const* rows, std::size_t row_count, const SegmentView* segments, std::size_t count,
                   const double* factors, std::size_t columns, double* S);

  // The kernels of full rows in single precision (single_row_kernels.inc).  Rows and the columns X and S have `stride`
  // numbers, a multiple of kSingleLanes.
  // out[c out_stride + r] = row r times column c of X.  A term goes through stride / kSingleLanes + 3 sums at most.
  void (*single_row_products)(const float* rows, std::size_t count, std::size_t stride, const float* X,
                              std::size_t columns, float* out, std::size_t out_stride);
  // S += rows^T factors, where factors[c factor_stride + r] is that of row r in column c.  One row after the other.
  void (*add_single_rows)(const float* rows, std::size_t count, std::size_t stride, const float* factors,
                          std::size_t factor_stride, std::size_t columns, float* S);
};

inline constexpr std::size_t kSingleLanes = 8;

// Four rows of three vectors are 12 sums: the most that 16 vector registers hold beside the loads (row_kernels.inc).
inline constexpr std::size_t kMostRows = 4;
// The number of columns that the row kernels work on if the caller has `columns`: 2, or the next multiple of 4.  Two
// classes are common, and four columns would double their work.
[[nodiscard]] constexpr std::size_t padded_columns(std::size_t columns) {
  return columns <= 2 ? 2 : (columns + 3) / 4 * 4;
}

// The fastest variant that this processor can run.  Chosen once, at the first call.
[[nodiscard]] const Kernels& kernels();

// Each variant, for tests.  Null where the processor or the build lacks it.
[[nodiscard]] const Kernels& baseline_kernels();
[[nodiscard]] const Kernels* avx2_kernels();

}  // namespace unscatter::kernel
