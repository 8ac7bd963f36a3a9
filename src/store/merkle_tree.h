// A digest of many things that is cheap to keep up to date: O(log n) hashes when one of them changes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/base/digest.h"

namespace unscatter {

// Binary, with leaves in order.  Inner nodes hash their two children and their level, so that no inner node can pass
// for a leaf.  A node without a right sibling moves up as it is.  The root also hashes the number of leaves.
class MerkleTree {
 public:
  MerkleTree() = default;
  // `level` of the leaves, where they are inner nodes of a larger tree.
  explicit MerkleTree(std::vector<Digest> leaves, std::size_t level = 0);

  [[nodiscard]] std::size_t leaves() const noexcept { return levels_.empty() ? 0 : levels_.front().size(); }
  // i < leaves(), here and below.
  [[nodiscard]] const Digest& leaf(std::size_t i) const;
  void set_leaf(std::size_t i, const Digest& leaf);
  // The same for several, in ascending order: a node above more than one of them is computed once.
  void set_leaves(std::vector<std::size_t> places, std::span<const Digest> leaves);
  [[nodiscard]] Digest root() const;
  // The one node of the last level.  There has to be a leaf.
  [[nodiscard]] const Digest& top() const { return levels_.back().front(); }
  // A new leaf at the end.
  void append(const Digest& leaf);
  [[nodiscard]] const std::vector<Digest>& all_leaves() const { return levels_.front(); }

 private:
  std::size_t level_ = 0;                    // of the leaves
  std::vector<std::vector<Digest>> levels_;  // leaves first; the last level has one node; none without leaves
};

// The root of a tree of so many leaves with that one node at its top; null without leaves.
[[nodiscard]] Digest root_of(std::size_t leaves, const Digest* top);

}  // namespace unscatter
