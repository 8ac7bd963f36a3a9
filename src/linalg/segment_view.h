// What the row kernels see of a Segment, without the headers that define it: variants of the kernels include nothing
// whose inline functions the linker could mix up.
#pragma once

#include <cstdint>

namespace unscatter::kernel {

// Laid out as unscatter::Segment.
struct SegmentView {
  std::uint32_t column;
  std::uint32_t length;
};

// Values of a segment that the row kernels add up before they add the sum to what came before.
inline constexpr unsigned kProductBlock = 64;

}  // namespace unscatter::kernel
