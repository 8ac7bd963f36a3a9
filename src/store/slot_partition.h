// Which slots a file of a sharded workspace holds (docs/workspace-format.md, "Sharded workspaces").
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

namespace unscatter {

// Part p holds the slots [p S, (p + 1) S).  The last one also holds all behind it, and so what is added later.  A
// partition never changes while a workspace lives.
struct SlotPartition {
  // Rows of one unit of work (linalg/row_pass.h: kLeafRows).  Where S is this times a power of two, a part is a node of
  // the tree by which sums over rows are taken.
  static constexpr std::size_t kUnit = 128;

  std::size_t parts = 1;
  std::size_t slots_per_part = std::numeric_limits<std::size_t>::max();

  // At most so many parts of at least kUnit slots each, none of them empty.  `slots` and `most_parts` are positive.
  [[nodiscard]] static SlotPartition at_most(std::size_t slots, std::size_t most_parts) {
    const std::size_t share = (slots + most_parts - 1) / most_parts;
    return with_size(slots, kUnit * std::bit_ceil((share + kUnit - 1) / kUnit));
  }
  // Parts of so many slots.  Both are positive.
  [[nodiscard]] static SlotPartition with_size(std::size_t slots, std::size_t slots_per_part) {
    return {(slots + slots_per_part - 1) / slots_per_part, slots_per_part};
  }

  [[nodiscard]] std::size_t part_of(std::size_t slot) const { return std::min(slot / slots_per_part, parts - 1); }
  [[nodiscard]] std::size_t first(std::size_t part) const { return part == 0 ? 0 : part * slots_per_part; }
  // One more than the last slot that the part may hold.
  [[nodiscard]] std::size_t end(std::size_t part) const {
    return part + 1 == parts ? std::numeric_limits<std::size_t>::max() : (part + 1) * slots_per_part;
  }
  friend bool operator==(const SlotPartition&, const SlotPartition&) = default;
};

}  // namespace unscatter
