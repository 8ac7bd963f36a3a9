// What a shard says of itself, what its manifest says of it, and what an update leaves in it until it is finished
// (docs/workspace-format.md, "Sharded workspaces").
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/slot_partition.h"
#include "store/sqlite.h"
#include "store/tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter {

[[nodiscard]] std::filesystem::path manifest_path(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path shard_path(const std::filesystem::path& folder, std::size_t number);

// Every shard is open as long as the workspace is.
inline constexpr std::size_t kMostShards = 256;

// Table `shards` of a manifest: how many there are, and the ledger entry that last touched each.  Signed, so nobody
// else can call an old shard the present one.
struct ShardLayout {
  SlotPartition partition;
  std::vector<std::uint64_t> touched;  // by shard
};
[[nodiscard]] Status write_layout(const Database& manifest, const std::string& workspace, const SigningKey& key,
                                  const ShardLayout& layout);
// Errors: kMalformedInput where it is not signed by `signer`.
[[nodiscard]] Result<ShardLayout> read_layout(const Database& manifest, const Identity& identity);

// Table `shard` of a shard.
struct ShardIdentity {
  std::string workspace;
  std::uint64_t number = 0;
  std::uint64_t touched = 0;  // the ledger entry that last changed something here
};
[[nodiscard]] Status write_shard_identity(const Database& shard, const ShardIdentity& identity);
[[nodiscard]] Result<ShardIdentity> read_shard_identity(const Database& shard);
// Whether it is the shard that the manifest means.  Errors: kMalformedInput, and what to do.
[[nodiscard]] Status check_shard(const ShardIdentity& found, const std::string& workspace, std::size_t number,
                                 std::uint64_t touched, const std::filesystem::path& path);

// Table `prepared`: what one update writes to this shard.  New rows and the keys of rows that go; nothing of what was
// there before.
struct PreparedChange {
  std::uint64_t sequence = 0;                  // of the ledger entry that decides about it
  Digest entry;                                // its hash
  std::vector<std::vector<std::byte>> pieces;  // each can be applied by itself
};
// The noted rows as they are now.
[[nodiscard]] Result<std::vector<std::vector<std::byte>>> read_noted_rows(const Database& shard,
                                                                          const Database::NotedRows& rows);
[[nodiscard]] Status write_prepared(const Database& shard, const PreparedChange& change);
// Nothing if no update was interrupted.  Errors: kMalformedInput where a piece is not what was written.
[[nodiscard]] Result<std::optional<PreparedChange>> read_prepared(const Database& shard);
// In one transaction of its own: writes the rows, says that entry change.sequence touched the shard, and erases what
// was prepared.  The log is not emptied.
[[nodiscard]] Status finish_prepared(const Database& shard, const PreparedChange& change);
// Erases what was prepared.
[[nodiscard]] Status undo_prepared(const Database& shard);

}  // namespace unscatter
