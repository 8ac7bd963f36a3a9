// Z^T F in one pass, where F is a function of Z W, row by row.  Every row is read once for both products, while it is
// in the cache.
#pragma once

#include <cstddef>
#include <functional>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// The products of some rows with W.  The callee replaces them by the rows' factors in Z^T F.
struct RowBlock {
  std::size_t first;   // the first row; of those that are here, where ranks share the rows
  std::size_t rows;    // at most kMostBlockRows
  std::size_t stride;  // numbers per row; those beyond the columns of W are zeros, and what becomes of them is ignored
  double* values;      // row major, rows x stride
  std::size_t part;    // below pass_parts(); blocks of one part come one after the other and may share a place for sums
};
using RowBlockFunction = std::function<void(const RowBlock&)>;
// Few enough that the rows of a block are still in the first-level cache when their factors are known.
inline constexpr std::size_t kMostBlockRows = 16;

// The number of parts of a pass over `rows` rows, those of all ranks, and the rows of each but the last.  They do not
// depend on threads.  A part whose rows are with several ranks comes to each of them, with the rows that are there.
[[nodiscard]] std::size_t pass_parts(std::size_t rows);
[[nodiscard]] std::size_t rows_of_a_part(std::size_t rows);

// Z^T F, where `factors` turns rows of Z W into rows of F.  The products and sums are those of product() and
// transposed_product(), bit for bit.  Where ranks share the rows, all of them call this, with the same W.  So it is
// with all sums over rows (row_share.h).
[[nodiscard]] Matrix pass_over_rows(const SparseBlockRows& Z, const Matrix& W, const RowBlockFunction& factors,
                                    std::size_t threads = 1);

// Column c: Z^T diag(weights.col(c)) Z X.col(c).
[[nodiscard]] Matrix weighted_square_product(const SparseBlockRows& Z, const Matrix& weights, const Matrix& X,
                                             std::size_t threads = 1);

}  // namespace unscatter
