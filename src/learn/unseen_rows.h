// Rows that changed, and that something derived from rows has not followed yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// Remembers, for every such row, what the derived thing still takes it to be.  A row that changes twice is followed
// once, and one that changes back is not followed at all: that is why a removal that was only tried costs nothing
// afterwards.
class UnseenRows {
 public:
  // Row number, among all rows where ranks share them -> what the derived thing takes the row to be.  In ascending
  // order, so that results do not depend on the order in which rows were named.
  using Known = std::map<std::size_t, BlockRow>;

  // Row `number` was `before`, and its graph had the label `label` (nothing: the label that it has).
  void note(std::size_t number, const BlockRow& before, std::optional<std::uint32_t> label = {});
  // Forgets those that are again what they were known to be.  `labels` are those of now, or empty if none was noted.
  void settle(const SparseBlockRows& rows, std::span<const std::uint32_t> labels = {}) noexcept;
  [[nodiscard]] const Known& known() const noexcept { return known_; }
  // The label that was noted with it.
  [[nodiscard]] std::optional<std::uint32_t> label(std::size_t number) const;
  [[nodiscard]] bool empty() const noexcept { return known_.empty(); }
  // All were followed, or nobody needs to follow any more.  Overwrites them: some may be of graphs that went.
  void clear() noexcept;

 private:
  Known known_;
  std::map<std::size_t, std::uint32_t> labels_;  // of those in known_ that were noted with one
};

}  // namespace unscatter
