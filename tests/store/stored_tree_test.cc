// The tree in the file against the tree in memory.
#include "store/stored_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/schema.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

Digest some_digest(std::size_t i) { return Hasher().add(std::uint64_t{i}).finish(); }

std::vector<Digest> some_leaves(std::size_t count) {
  std::vector<Digest> leaves;
  for (std::size_t i = 0; i < count; ++i) leaves.push_back(some_digest(i));
  return leaves;
}

class StoredTreeTest : public ::testing::Test {
 protected:
  StoredTreeTest() : database_(create_database(folder_.path() / "tree", std::chrono::seconds(1)).value()) {
    EXPECT_TRUE(create_tables(database_).ok());
  }
  testing::TemporaryFolder folder_{testing::memory_folder()};
  Database database_;
};

TEST_F(StoredTreeTest, HasTheRootOfTheWholeTree) {
  for (const std::size_t count : {1u, 2u, 3u, 15u, 16u, 17u, 31u, 33u, 255u, 256u, 257u, 4096u, 4097u, 70000u}) {
    SCOPED_TRACE(count);
    const std::vector<Digest> leaves = some_leaves(count);
    EXPECT_EQ(StoredTree(leaves).root(), MerkleTree(leaves).root());
  }
  EXPECT_EQ(StoredTree(std::vector<Digest>()).root(), MerkleTree().root());
}

TEST_F(StoredTreeTest, FollowsChangesByThePathOfALeaf) {
  for (const std::size_t count : {1u, 257u, 66000u}) {
    SCOPED_TRACE(count);
    ASSERT_TRUE(database_.run("DELETE FROM tree").ok());
    std::vector<Digest> leaves = some_leaves(count);
    StoredTree made(leaves);
    ASSERT_TRUE(made.write(database_).ok());
    StoredTree tree(count, made.root());
    Sequence random(count);
    for (std::size_t round = 0; round < 8; ++round) {
      const std::size_t i = random.below(count);
      EXPECT_EQ(tree.leaf(database_, i).value(), leaves[i]);
      leaves[i] = some_digest(1000000 + round);
      ASSERT_TRUE(tree.set_leaf(database_, i, leaves[i]).ok());
      ASSERT_TRUE(tree.write(database_).ok());
      tree.written();
      ASSERT_EQ(tree.root(), MerkleTree(leaves).root());
      // As the next process finds it.
      tree = StoredTree(count, tree.root());
    }
    EXPECT_EQ(tree.all_leaves(database_).value(), leaves);
    EXPECT_EQ(tree.stored_leaves(database_).value(), leaves);
  }
}

TEST_F(StoredTreeTest, ManyLeavesTogetherGiveTheSameTree) {
  for (const std::size_t count : {1u, 16u, 257u, 5000u}) {
    for (const double share : {0.002, 0.1, 1.0}) {
      SCOPED_TRACE(::testing::Message() << count << " leaves, " << share);
      ASSERT_TRUE(database_.run("DELETE FROM tree").ok());
      std::vector<Digest> leaves = some_leaves(count);
      StoredTree made(leaves);
      ASSERT_TRUE(made.write(database_).ok());
      Sequence random(count);
      std::vector<std::size_t> places;
      std::vector<Digest> changed;
      for (std::size_t i = 0; i < count; ++i) {
        if (!random.chance(share)) continue;
        places.push_back(i);
        changed.push_back(leaves[i] = some_digest(3000000 + i));
      }
      StoredTree tree(count, made.root());
      ASSERT_TRUE(tree.set_leaves(database_, places, changed).ok());
      EXPECT_EQ(tree.root(), MerkleTree(leaves).root());
      ASSERT_TRUE(tree.write(database_).ok());
      StoredTree again(count, MerkleTree(leaves).root());
      EXPECT_EQ(again.all_leaves(database_).value(), leaves);
    }
  }
}

TEST_F(StoredTreeTest, GrowsAcrossPartsAndLevels) {
  for (const std::size_t first : {1u, 254u, 511u, 65535u}) {
    SCOPED_TRACE(first);
    ASSERT_TRUE(database_.run("DELETE FROM tree").ok());
    std::vector<Digest> leaves = some_leaves(first);
    StoredTree tree(leaves);
    ASSERT_TRUE(tree.write(database_).ok());
    for (std::size_t round = 0; round < 4; ++round) {
      tree = StoredTree(leaves.size(), MerkleTree(leaves).root());
      leaves.push_back(some_digest(2000000 + round));
      ASSERT_TRUE(tree.set_leaf(database_, leaves.size() - 1, leaves.back()).ok());
      ASSERT_TRUE(tree.write(database_).ok());
      ASSERT_EQ(tree.root(), MerkleTree(leaves).root());
    }
    StoredTree again(leaves.size(), MerkleTree(leaves).root());
    EXPECT_EQ(again.all_leaves(database_).value(), leaves);
  }
}

TEST_F(StoredTreeTest, DamageIsNoticedOnThePath) {
  const std::vector<Digest> leaves = some_leaves(70000);
  StoredTree made(leaves);
  ASSERT_TRUE(made.write(database_).ok());
  // Part 3 of the leaves, then the part above.
  const std::string flip = "UPDATE tree SET digests = CAST(x'00' || substr(digests, 2) AS BLOB) WHERE part = ";
  ASSERT_TRUE(database_.run(flip + "3").ok());
  StoredTree tree(leaves.size(), made.root());
  EXPECT_TRUE(tree.leaf(database_, 0).ok());
  EXPECT_EQ(tree.leaf(database_, 3 * 16 + 5).error().code, ErrorCode::kMalformedInput);
  EXPECT_FALSE(tree.all_leaves(database_).ok());
  ASSERT_TRUE(database_.run(flip + std::to_string(std::int64_t{1} << 48)).ok());
  StoredTree broken(leaves.size(), made.root());
  EXPECT_FALSE(broken.leaf(database_, 0).ok());
  // A root that nobody signed.
  StoredTree other(leaves.size(), some_digest(1));
  EXPECT_FALSE(other.leaf(database_, 0).ok());
}

}  // namespace
}  // namespace unscatter
