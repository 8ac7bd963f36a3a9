// What this machine can do at best, measured in the same run as the work that is compared with it.
#pragma once

#include <cstddef>

namespace unscatter::bench {

struct MachinePeak {
  double additions_per_second;     // vector additions of doubles in registers, counted per lane
  double loaded_bytes_per_second;  // first-level cache loads feeding vector additions
};

// What bounds products of matrices with vectors.
struct ProductPeak {
  double operations_per_second;  // fused multiplications and additions of doubles in registers, two each, per lane
  double read_bytes_per_second;  // of buffers that fit the last level of cache and no earlier one
};

// Both on `threads` threads at once, best of several short runs, with the instruction set that the embedding kernel
// uses.
[[nodiscard]] MachinePeak measure_machine_peak(std::size_t threads);
[[nodiscard]] ProductPeak measure_product_peak(std::size_t threads);

}  // namespace unscatter::bench
