#include "store/merkle_tree.h"

#include <algorithm>
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

MerkleTree::MerkleTree(std::vector<Digest> leaves, std::size_t first_level) : level_(first_level) {
  if (leaves.empty()) return;
  levels_.push_back(std::move(leaves));
  while (levels_.back().size() > 1) {
    const std::vector<Digest>& below = levels_.back();
    std::vector<Digest> level((below.size() + 1) / 2);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = combined(below, level_ + levels_.size(), i);
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
    levels_[level][i] = combined(levels_[level - 1], level_ + level, i);
  }
}

void MerkleTree::set_leaves(std::vector<std::size_t> places, std::span<const Digest> leaves) {
  invariant(places.size() == leaves.size() && std::is_sorted(places.begin(), places.end()) &&
                (places.empty() || places.back() < this->leaves()),
            "leaves of the tree, in their order");
  for (std::size_t k = 0; k < places.size(); ++k) levels_.front()[places[k]] = leaves[k];
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    // Every node above one of them, once.
    for (std::size_t& place : places) place /= 2;
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::size_t i : places) levels_[level][i] = combined(levels_[level - 1], level_ + level, i);
  }
}

void MerkleTree::append(const Digest& leaf) {
  if (levels_.empty()) levels_.emplace_back();
  levels_.front().push_back(leaf);
  std::size_t i = levels_.front().size() - 1;
  for (std::size_t level = 1; levels_[level - 1].size() > 1; ++level) {
    i /= 2;
    if (levels_.size() == level) levels_.emplace_back();
    // A node that had no right sibling has moved up, so the new path may need nodes that were not there.
    if (levels_[level].size() <= i) levels_[level].resize(i + 1);
    levels_[level][i] = combined(levels_[level - 1], level_ + level, i);
  }
}

Digest root_of(std::size_t leaves, const Digest* top) {
  // The number of leaves fixes the shape of the tree.  So no list of another length has the same root.
  Hasher hasher;
  hasher.add(std::string_view("unscatter root 1")).add(static_cast<std::uint64_t>(leaves));
  if (leaves > 0) hasher.add_bytes(std::as_bytes(std::span(top->bytes)));
  return hasher.finish();
}

Digest MerkleTree::root() const { return root_of(leaves(), leaves() > 0 ? &top() : nullptr); }

}  // namespace unscatter
