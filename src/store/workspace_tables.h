// Which file holds which table of a workspace.
//
// The tables `graphs`, `embeddings` and `members` are about slots.  A workspace in one file has them beside all others.
// A sharded one has them in its shards, each for some of the slots, and all other tables in its manifest.  Whoever
// reads or writes one of the three goes through here.
#pragma once

#include <cstddef>
#include <span>

#include "store/slot_partition.h"
#include "store/sqlite.h"

namespace unscatter {

// Refers to databases of somebody else, who outlives it.  Copying is cheap.
class WorkspaceTables {
 public:
  // All tables are in one file.  Explicit: a function that is given a manifest would look for graphs in it.
  explicit WorkspaceTables(const Database& only) : main_(&only), shards_(&only, 1) {}
  // One database for each part.
  WorkspaceTables(const Database& manifest, std::span<const Database> shards, const SlotPartition& partition)
      : main_(&manifest), shards_(shards), partition_(partition) {}

  // All tables that are not about slots.
  [[nodiscard]] const Database& main() const { return *main_; }
  [[nodiscard]] bool sharded() const { return main_ != shards_.data(); }
  [[nodiscard]] const SlotPartition& partition() const { return partition_; }

  // The tables about slots, part by part, in the order of slots.
  [[nodiscard]] std::size_t parts() const { return shards_.size(); }
  [[nodiscard]] const Database& part(std::size_t number) const { return shards_[number]; }
  [[nodiscard]] const Database& of_slot(std::size_t slot) const { return shards_[partition_.part_of(slot)]; }

 private:
  const Database* main_;
  std::span<const Database> shards_;
  SlotPartition partition_;
};

}  // namespace unscatter
