// The best that this machine can do, measured in the same run as the work that is compared with it.
#pragma once

#include <cstddef>

namespace unscatter::bench {

struct MachinePeak {
  double additions_per_second;     // vector additions of doubles in registers, counted per lane
  double loaded_bytes_per_second;  // first-level cache loads feeding vector additions
};

// What limits products of matrices with vectors.
struct ProductPeak {
  double operations_per_second;  // fused multiplications and additions of doubles in registers, two each, per lane
  double read_bytes_per_second;  // of buffers that fit into the last level of cache and into no earlier one
};

// Both run on `threads` threads at once and take the best of several short runs.  They use the instruction set of the
// embedding kernel.
[[nodiscard]] MachinePeak measure_machine_peak(std::size_t threads);
[[nodiscard]] ProductPeak measure_product_peak(std::size_t threads);

}  // namespace unscatter::bench
