#include "store/merkle_tree.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Inner nodes need no salt of their own: they know graphs only through salted leaves.
Digest inner_node(std::size_t level, const Digest& left, const Digest& right) {
  return Hasher()
      .add(std::string_view("unscatter tree 1"))
      .add(static_cast<std::uint64_t>(level))
      .add_bytes(std::as_bytes(std::span(left.bytes)))
      .add_bytes(std::as_bytes(std::span(right.bytes)))
      .finish();
}

// Node i of `level`, from the level below.
Digest combined(const std::vector<Digest>& below, std::size_t level, std::size_t i) {
  const std::size_t right = 2 * i + 1;
  return right < below.size() ? inner_node(level, below[2 * i], below[right]) : below[2 * i];
}

}  // namespace

MerkleTree::MerkleTree(std::vector<Digest> leaves) {
  if (leaves.empty()) return;
  levels_.push_back(std::move(leaves));
  while (levels_.back().size() > 1) {
    const std::vector<Digest>& below = levels_.back();
    std::vector<Digest> level((below.size() + 1) / 2);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = combined(below, levels_.size(), i);
    levels_.push_back(std::move(level));
  }
}

const Digest& MerkleTree::leaf(std::size_t i) const {
  invariant(i < leaves(), "a leaf outside the tree");
  return levels_.front()[i];
}

void MerkleTree::set_leaf(std::size_t i, const Digest& leaf) {
  invariant(i < leaves(), "a leaf outside the tree");
  levels_.front()[i] = leaf;
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    // Only the path to the root changes, so a removal costs O(log n) hashes and not n.
    i /= 2;
    levels_[level][i] = combined(levels_[level - 1], level, i);
  }
}

Digest MerkleTree::root() const {
  // The number of leaves fixes the shape of the tree.  So no list of another length has the same root.
  Hasher hasher;
  hasher.add(std::string_view("unscatter root 1")).add(static_cast<std::uint64_t>(leaves()));
  if (leaves() > 0) hasher.add_bytes(std::as_bytes(std::span(levels_.back().front().bytes)));
  return hasher.finish();
}

}  // namespace unscatter
