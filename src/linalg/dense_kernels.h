// The cubic work of the library, in code for the processor at hand.
//
// Plain x86-64 has two doubles per instruction; processors of the last decade have four and fused multiply-add, on which
// the cubic work depends more than on anything else (docs/performance.md).  So these few functions are compiled twice and
// chosen at run time. Everything else stays as it is: results of these functions may differ in the last digits from one kind of
// processor to another, which no certificate minds, while embeddings remain equal bit for bit on all.
#pragma once

#include <cstddef>
#include <string_view>

namespace unscatter::dense {

// Matrices are column major and contiguous unless said otherwise.
struct Kernels {
  std::string_view name;  // "baseline" or "avx2"
  // Replaces the lower triangle of the symmetric n x n matrix A by its Cholesky factor, reading the lower triangle only.  False
  // if a pivot is not positive.
  bool (*cholesky)(double* A, std::ptrdiff_t n);
  // Lower triangle of the d x d matrix C += P^T P, with P row major, rows x d.
  void (*add_square)(double* C, std::ptrdiff_t d, const double* P, std::ptrdiff_t rows);
};

// The fastest this processor can run.
[[nodiscard]] const Kernels& kernels();

// Each of them, for tests; null where the processor or the build lacks it.
[[nodiscard]] const Kernels& baseline_kernels();
[[nodiscard]] const Kernels* avx2_kernels();

}  // namespace unscatter::dense
