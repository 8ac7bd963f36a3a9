// A row of Z that an update replaces or appends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// From the smallest effect on an embedding to the largest.
enum class ChangeKind { kFeatures, kStructure, kRemoved, kAdded };

struct RowChange {
  std::size_t row = 0;
  BlockRow before;
  BlockRow after;  // empty: the graph goes
  ChangeKind kind = ChangeKind::kStructure;
  // Of the graph, where the learner has to know: what it becomes (nothing: it stays), and, from Learner::begin() on,
  // what it was.
  std::optional<std::uint32_t> label_after = {};
  std::optional<std::uint32_t> label_before = {};
};

}  // namespace unscatter
