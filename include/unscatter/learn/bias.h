// The bias of every class, as one more coordinate.
#pragma once

#include <cstddef>

#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// A constant 1 in one more column.  Its weight is the bias of a class.  It is regularised like the other weights,
// because strong convexity, on which the certificates rest, needs that.  `width` is the row's width before.
[[nodiscard]] BlockRow with_bias(BlockRow row, std::size_t width);
[[nodiscard]] SparseBlockRows with_bias(const SparseBlockRows& rows);

}  // namespace unscatter
