// The tree of all graphs' digests as it lies in the file: read and written by the path of a leaf.
//
// It is the tree of merkle_tree.h, cut into parts of four levels.  A part holds up to 16 digests of one level and
// stands for the one digest above them.  So a removal among a billion graphs reads and writes eight parts of half a
// kilobyte, and computes sixteen digests for each.  Larger parts would be fewer, and take longer to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "store/merkle_tree.h"
#include "store/sqlite.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"

namespace unscatter {

class StoredTree {
 public:
  StoredTree() = default;
  // The tree in the file, of which nothing is read yet.  Whatever is read later has to lead to `root`, which a signed
  // entry names.
  StoredTree(std::size_t leaves, const Digest& root) : leaves_(leaves), root_(root) {}
  // A new tree, in memory.  write() puts all of it into the file.
  explicit StoredTree(const std::vector<Digest>& leaves);

  [[nodiscard]] std::size_t leaves() const noexcept { return leaves_; }
  [[nodiscard]] const Digest& root() const noexcept { return root_; }
  // Errors: kMalformedInput where the file's tree does not lead to the root.
  [[nodiscard]] Result<Digest> leaf(const Database& database, std::size_t i);
  // All of them, checked against the root.
  [[nodiscard]] Result<std::vector<Digest>> all_leaves(const Database& database);
  // All of them as they stand in the file, held against nothing: for readers of rows, whose seals have them as seeds.
  [[nodiscard]] Result<std::vector<Digest>> stored_leaves(const Database& database) const {
    return stored_leaves(database, 0, leaves_);
  }
  // Those from `first` to before `last`, both multiples of 16; last may be leaves().
  [[nodiscard]] Result<std::vector<Digest>> stored_leaves(const Database& database, std::size_t first,
                                                          std::size_t last) const;
  // i < leaves(), or leaves() for a new one.  In memory; write() follows.  Errors as leaf().
  [[nodiscard]] Status set_leaf(const Database& database, std::size_t i, const Digest& leaf);
  // The same for many that are there, in ascending order.  A part above several of them is computed once.
  [[nodiscard]] Status set_leaves(const Database& database, std::span<const std::size_t> places,
                                  std::span<const Digest> leaves);
  // Writes the parts that have changed since they were read or written.
  [[nodiscard]] Status write(const Database& database);
  // What write() wrote is on disk.
  void written() noexcept;
  // Drops what was read or changed in memory.  The file's parts then have to lead to `root`.
  void forget_parts(std::size_t leaves, const Digest& root);

 private:
  struct Part {
    MerkleTree digests;
    bool changed = false;
  };
  // Level 0: leaves.  Part p of level l holds the digests 16 p, 16 p + 1, ... of that level.
  [[nodiscard]] static std::int64_t key_of(std::size_t level, std::size_t part);
  [[nodiscard]] std::size_t levels() const;
  [[nodiscard]] std::size_t size_of(std::size_t level) const;
  [[nodiscard]] Result<Part*> load(const Database& database, std::size_t level, std::size_t part);
  // The part above has a new digest for this part.
  [[nodiscard]] Status lift(const Database& database, std::size_t level, std::size_t part);

  std::size_t leaves_ = 0;
  Digest root_;
  std::map<std::int64_t, Part> parts_;  // those that were read
};

}  // namespace unscatter
