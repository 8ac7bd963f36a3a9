// A dense row as a sparse one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// Runs of numbers that are not 0.  What a graph lacks takes no memory.  Replaces `row`.
inline void store_runs(std::span<const double> z, BlockRow& row) {
  row.clear();
  for (std::size_t first = 0; first < z.size();) {
    if (z[first] == 0) {
      ++first;
      continue;
    }
    std::size_t end = first;
    while (end < z.size() && z[end] != 0) ++end;
    std::copy(z.begin() + static_cast<std::ptrdiff_t>(first), z.begin() + static_cast<std::ptrdiff_t>(end),
              row.append(first, end - first));
    first = end;
  }
}

}  // namespace unscatter
