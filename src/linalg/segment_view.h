// What the row kernels see of a Segment, without the header that defines it.  A variant of the kernels includes nothing
// that has inline functions: the linker keeps one copy of each, and it might keep the one with the newer instructions.
#pragma once

#include <cstdint>

namespace unscatter::kernel {

// Has the layout of unscatter::Segment; row_groups.h asserts it.
struct SegmentView {
  std::uint32_t column;
  std::uint32_t length;
};

// The row kernels add up this many values of a segment before they add the sum to the total.  Rounding errors then grow
// with the number of blocks and not with the number of values (product_depth() in row_products.h).
inline constexpr unsigned kProductBlock = 64;

}  // namespace unscatter::kernel
