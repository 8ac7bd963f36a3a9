#include "store/merkle_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unscatter/base/invariant.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

Digest numbered_leaf(std::uint64_t number) { return Hasher().add(std::string_view("leaf")).add(number).finish(); }

std::vector<Digest> numbered_leaves(std::size_t count) {
  std::vector<Digest> leaves;
  for (std::size_t i = 0; i < count; ++i) leaves.push_back(numbered_leaf(i));
  return leaves;
}

// The definition, without anything kept: levels are folded until one node is left.
Digest folded_root(std::vector<Digest> nodes) {
  const std::uint64_t leaves = nodes.size();
  for (std::uint64_t level = 1; nodes.size() > 1; ++level) {
    std::vector<Digest> above;
    for (std::size_t i = 0; i < nodes.size(); i += 2) {
      if (i + 1 == nodes.size()) {
        above.push_back(nodes[i]);
        continue;
      }
      Hasher hasher;
      hasher.add(std::string_view("unscatter tree 1")).add(level);
      for (const Digest& child : {nodes[i], nodes[i + 1]}) hasher.add_bytes(std::as_bytes(std::span(child.bytes)));
      above.push_back(hasher.finish());
    }
    nodes = std::move(above);
  }
  Hasher hasher;
  hasher.add(std::string_view("unscatter root 1")).add(leaves);
  if (!nodes.empty()) hasher.add_bytes(std::as_bytes(std::span(nodes.front().bytes)));
  return hasher.finish();
}

TEST(MerkleTree, EqualsTheDefinitionForEverySize) {
  std::set<std::string> roots;
  for (std::size_t size = 0; size <= 70; ++size) {
    const MerkleTree tree(numbered_leaves(size));
    EXPECT_EQ(tree.leaves(), size);
    EXPECT_EQ(tree.root(), folded_root(numbered_leaves(size))) << size;
    EXPECT_TRUE(roots.insert(tree.root().hex()).second) << size;
  }
  EXPECT_EQ(MerkleTree().root(), MerkleTree(std::vector<Digest>{}).root());
}

TEST(MerkleTree, ChangingLeavesEqualsBuildingAnew) {
  Sequence random(11);
  for (std::size_t size = 1; size <= 70; ++size) {
    SCOPED_TRACE(size);
    std::vector<Digest> leaves = numbered_leaves(size);
    MerkleTree tree(leaves);
    for (int step = 0; step < 12; ++step) {
      const std::size_t i = random.below(size);
      const Digest before = tree.root();
      leaves[i] = numbered_leaf(random.next());
      tree.set_leaf(i, leaves[i]);
      EXPECT_EQ(tree.leaf(i), leaves[i]);
      EXPECT_NE(tree.root(), before);
      EXPECT_EQ(tree.root(), MerkleTree(leaves).root());
    }
  }
}

TEST(MerkleTree, OrderMatters) {
  for (const std::size_t size : {2u, 3u, 5u, 8u, 13u}) {
    const Digest root = MerkleTree(numbered_leaves(size)).root();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::vector<Digest> leaves = numbered_leaves(size);
        std::swap(leaves[i], leaves[j]);
        EXPECT_NE(MerkleTree(leaves).root(), root) << i << " " << j;
      }
    }
  }
}

// What makes trees without levels and sizes ambiguous: an inner node given as a leaf, a leaf that is doubled.
TEST(MerkleTree, NoInnerNodePassesForALeaf) {
  const std::vector<Digest> leaves = numbered_leaves(4);
  const auto node = [](std::uint64_t level, const Digest& left, const Digest& right) {
    return Hasher()
        .add(std::string_view("unscatter tree 1"))
        .add(level)
        .add_bytes(std::as_bytes(std::span(left.bytes)))
        .add_bytes(std::as_bytes(std::span(right.bytes)))
        .finish();
  };
  const Digest left = node(1, leaves[0], leaves[1]);
  const Digest right = node(1, leaves[2], leaves[3]);
  const Digest root = MerkleTree(leaves).root();
  ASSERT_EQ(root, folded_root(leaves));
  EXPECT_NE(MerkleTree({left, right}).root(), root);
  EXPECT_NE(MerkleTree({node(2, left, right)}).root(), root);
  EXPECT_NE(MerkleTree({left, leaves[2], leaves[3]}).root(), root);
  EXPECT_NE(MerkleTree({leaves[0], leaves[1], right}).root(), root);
  EXPECT_NE(MerkleTree({leaves[0], leaves[1], leaves[2]}).root(),
            MerkleTree({leaves[0], leaves[1], leaves[2], leaves[2]}).root());
}

TEST(MerkleTree, RefusesLeavesItDoesNotHave) {
  MerkleTree tree(numbered_leaves(3));
  EXPECT_THROW(tree.set_leaf(3, Digest{}), InvariantViolation);
  EXPECT_THROW(static_cast<void>(tree.leaf(3)), InvariantViolation);
  MerkleTree empty;
  EXPECT_THROW(empty.set_leaf(0, Digest{}), InvariantViolation);
  EXPECT_THROW(static_cast<void>(empty.leaf(0)), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
