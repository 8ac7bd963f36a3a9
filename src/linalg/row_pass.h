// Z^T F with F a function of Z W, row by row, in one pass: every row is read once, while it is near, for both products.
#pragma once

#include <cstddef>
#include <functional>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// Some rows' products with W, to be replaced by their factors in Z^T F.
struct RowBlock {
  std::size_t first;  // the first row
  std::size_t rows;   // at most kMostBlockRows
  std::size_t
      stride;      // numbers per row; those beyond the columns of W are zeros, and what becomes of them does not matter
  double* values;  // row major, rows x stride
  std::size_t
      part;  // below pass_parts(): blocks of one part come one after the other, so it can pick a place to add up in
};
using RowBlockFunction = std::function<void(const RowBlock&)>;
inline constexpr std::size_t kMostBlockRows = 16;

// Parts of a pass over so many rows.  They do not depend on threads.
[[nodiscard]] std::size_t pass_parts(std::size_t rows);

// Z^T F, where `factors` turns rows of Z W into rows of F.  Products and sums are those of product() and
// transposed_product(), bit for bit.
[[nodiscard]] Matrix pass_over_rows(const SparseBlockRows& Z, const Matrix& W, const RowBlockFunction& factors,
                                    std::size_t threads = 1);

// Column c: Z^T diag(weights.col(c)) Z X.col(c).
[[nodiscard]] Matrix weighted_square_product(const SparseBlockRows& Z, const Matrix& weights, const Matrix& X,
                                             std::size_t threads = 1);

}  // namespace unscatter
