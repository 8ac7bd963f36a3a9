// Rows that changed, and that something derived from rows has not followed yet.
#pragma once

#include <cstddef>
#include <map>

#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// Remembers, for every such row, what the derived thing still takes it to be.  A row that changes twice is followed
// once, and one that changes back is not followed at all: that is why a removal that was only tried costs nothing
// afterwards.
class UnseenRows {
 public:
  // Row number -> what the derived thing takes the row to be.  In ascending order, so that results do not depend on the
  // order in which rows were named.
  using Known = std::map<std::size_t, BlockRow>;

  // Row `number` was `before`.
  void note(std::size_t number, const BlockRow& before) { known_.try_emplace(number, before); }
  // Forgets those that are again what they were known to be.
  void settle(const SparseBlockRows& rows) noexcept;
  [[nodiscard]] const Known& known() const noexcept { return known_; }
  [[nodiscard]] bool empty() const noexcept { return known_.empty(); }
  // All were followed, or nobody needs to follow any more.  Overwrites them: some may be of graphs that went.
  void clear() noexcept;

 private:
  Known known_;
};

}  // namespace unscatter
