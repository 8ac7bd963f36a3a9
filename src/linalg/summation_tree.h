// The shape of every sum over rows (docs/theory.md, "The summation tree"): a balanced tree over leaves of kLeafRows
// rows.  It depends on the number of rows alone.
#pragma once

#include <bit>
#include <cstddef>

#include "linalg/row_products.h"

namespace unscatter {

[[nodiscard]] constexpr std::size_t leaves_of(std::size_t rows) { return (rows + kLeafRows - 1) / kLeafRows; }

// Where a range of two or more leaves (or parts) is cut: after the largest power of two below its length.  The left
// part is then a complete tree, and the right part is not deeper.
[[nodiscard]] constexpr std::size_t left_part(std::size_t units) { return std::bit_floor(units - 1); }

}  // namespace unscatter
