// A row of Z that an update replaces.
#pragma once

#include <cstddef>

#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// From the smallest effect on an embedding to the largest.
enum class ChangeKind { kFeatures, kStructure, kRemoved };

struct RowChange {
  std::size_t row = 0;
  BlockRow before;
  BlockRow after;  // empty: the graph goes
  ChangeKind kind = ChangeKind::kStructure;
};

}  // namespace unscatter
