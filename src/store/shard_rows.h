// The rows of one shard, for a process of a job whose coordinator holds the workspace.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "store/slot_partition.h"
#include "store/stored_rows.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"

namespace unscatter {

// Which shard is meant, as the coordinator knows it from the manifest.
struct ShardRowsRequest {
  std::string workspace;           // its id
  std::size_t number = 0;          // of the shard
  SlotPartition partition;         // of the workspace
  std::size_t slots = 0;           // of the workspace
  std::span<const Digest> leaves;  // of the shard's slots, from the first on (StoredTree::stored_leaves())
  std::size_t width = 0;
  std::size_t classes = 0;
};

// Reads the rows of the shard file `path`, row i being that of the i-th slot of the shard.  Takes no lock: the
// coordinator has it, and does not write meanwhile.  The seal of every row is held against its leaf, so a row of
// another state is noticed.  Errors: kMalformedInput where a row or the shard is
// not the one that is meant; kUnavailable where the shard has a log, because an update is under way; kIo.
[[nodiscard]] Result<ReadRows> read_shard_rows(const std::filesystem::path& path, const ShardRowsRequest& request);

}  // namespace unscatter
