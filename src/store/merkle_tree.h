// A digest of many things that is cheap to keep up to date: O(log n) hashes when one of them changes.
#pragma once

#include <cstddef>
#include <vector>

#include "unscatter/base/digest.h"

namespace unscatter {

// Binary, with leaves in order.  Inner nodes hash their two children and their level, so that no inner node can pass
// for a leaf.  A node without a right sibling moves up as it is.  The root also hashes the number of leaves.
class MerkleTree {
 public:
  MerkleTree() = default;
  explicit MerkleTree(std::vector<Digest> leaves);

  [[nodiscard]] std::size_t leaves() const noexcept { return levels_.empty() ? 0 : levels_.front().size(); }
  // i < leaves(), here and below.
  [[nodiscard]] const Digest& leaf(std::size_t i) const;
  void set_leaf(std::size_t i, const Digest& leaf);
  [[nodiscard]] Digest root() const;

 private:
  std::vector<std::vector<Digest>> levels_;  // leaves first; the last level has one node; none without leaves
};

}  // namespace unscatter
