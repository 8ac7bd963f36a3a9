// The files of a workspace, open: one, or a manifest and its shards.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/schema.h"
#include "store/slot_partition.h"
#include "store/sqlite.h"
#include "store/workspace_tables.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/store/workspace.h"

namespace unscatter {

class WorkspaceFiles {
 public:
  explicit WorkspaceFiles(Database only) : main_(std::move(only)) {}
  // One shard for each part.
  WorkspaceFiles(Database manifest, std::vector<Database> shards, const SlotPartition& partition)
      : main_(std::move(manifest)), shards_(std::move(shards)), partition_(partition) {}

  [[nodiscard]] const Database& main() const { return main_; }
  [[nodiscard]] const std::vector<Database>& shards() const { return shards_; }
  [[nodiscard]] bool sharded() const { return !shards_.empty(); }
  // Valid as long as this object stays where it is.
  [[nodiscard]] WorkspaceTables tables() const {
    return sharded() ? WorkspaceTables(main_, shards_, partition_) : WorkspaceTables(main_);
  }

  // One more connection to each of the files (Database::beside()), for another thread that reads.
  [[nodiscard]] static Result<std::optional<WorkspaceFiles>> beside(const WorkspaceTables& tables);

 private:
  Database main_;
  std::vector<Database> shards_;  // none: all is in one file
  SlotPartition partition_;
};

// Whether the workspace is a folder.
[[nodiscard]] bool is_sharded(const std::filesystem::path& path);

// Opens the workspace `path`, a file or a folder, as open_database() does.  What the ledger of a sharded workspace has
// decided is finished in all shards, and what it has not decided is undone.  Errors: the same; kMalformedInput for a
// shard that is missing, older than the manifest, or of another workspace.
[[nodiscard]] Result<WorkspaceFiles> open_files(const std::filesystem::path& path, std::chrono::milliseconds wait,
                                                Access access = Access::kAlone);

// How many slots each shard gets; nothing for one file.
[[nodiscard]] std::optional<SlotPartition> partition_of(const ShardPlan& plan, std::size_t slots);
// Makes the file or, with a partition, the folder, for its owner only.  It is a workspace when NewFiles::commit() has
// returned.  Errors: kInvalidArgument if it exists, and for too many shards; kIo.
[[nodiscard]] Result<WorkspaceFiles> create_files(const std::filesystem::path& path,
                                                  const std::optional<SlotPartition>& partition,
                                                  std::chrono::milliseconds wait);
// Removes the files of a workspace, those that SQLite keeps beside them, and the folder.
void remove_files(const std::filesystem::path& path) noexcept;

// A new workspace while it is filled: one transaction in each of its files, with empty tables.
class NewFiles {
 public:
  [[nodiscard]] static Result<NewFiles> begin(const WorkspaceTables& tables);
  // Durable when it returns, without a log.  `touched`: the last ledger entry.
  [[nodiscard]] Status commit(const std::string& workspace, const SigningKey& key);
  // The same for files that say by themselves which shards they are.
  [[nodiscard]] Status commit();

 private:
  explicit NewFiles(const WorkspaceTables& tables);

  WorkspaceTables tables_;
  std::vector<std::unique_ptr<Transaction>> transactions_;  // main first
};

// Every file of the workspace `path`, for whoever looks at pages.
struct FileOfTables {
  const Database* database = nullptr;
  std::filesystem::path path;
};
[[nodiscard]] std::vector<FileOfTables> files_of(const WorkspaceTables& tables, const std::filesystem::path& path);

}  // namespace unscatter
