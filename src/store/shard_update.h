// One update over all shards of a workspace: prepared in each, decided by the ledger entry, finished in each
// (docs/workspace-format.md, "Sharded workspaces").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/shard_files.h"
#include "store/sqlite.h"
#include "store/workspace_tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter {

// For a workspace in one file all of it does nothing.  If it is destroyed before prepare(), nothing has changed.
class ShardUpdate {
 public:
  // Statements from here on write to transactions that prepare() rolls back.  Within a transaction of the manifest.
  [[nodiscard]] static Result<ShardUpdate> begin(const WorkspaceTables& tables);
  // Makes durable in every shard what was written to it since begin(), as a change that waits for the ledger entry
  // `sequence` with the hash `entry`.  The manifest's transaction gets the new list of shards.  After an error nothing
  // is prepared, or the next opening undoes it.
  [[nodiscard]] Status prepare(const Identity& identity, const SigningKey& key, std::uint64_t sequence,
                               const Digest& entry);
  // The manifest has the entry: rows are written, what was there is overwritten, logs are emptied.  After an error the
  // next opening finishes it.
  [[nodiscard]] Status finish();
  // The manifest has not got the entry.
  [[nodiscard]] Status undo();

 private:
  struct Touched {
    std::size_t part = 0;
    PreparedChange change;
  };
  explicit ShardUpdate(const WorkspaceTables& tables) : tables_(tables) {}

  WorkspaceTables tables_;
  std::vector<std::unique_ptr<Transaction>> transactions_;  // by part; none in one file
  std::vector<Touched> touched_;
};

}  // namespace unscatter
