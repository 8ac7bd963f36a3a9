#include "store/workspace_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "store/shard_files.h"
#include "store/tables.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// A shard that is not there is an error about the workspace, and not about a name that was mistyped.
Result<Database> open_shard(const fs::path& folder, std::size_t number, std::chrono::milliseconds wait, Access access) {
  const fs::path path = shard_path(folder, number);
  Result<Database> shard = open_database(path, wait, access, FileKind::kShard);
  if (shard.ok() || shard.error().code != ErrorCode::kNotFound) return shard;
  return Error{ErrorCode::kMalformedInput,
               fmt::format("{} is missing: the manifest says that the workspace has it.  Put it back, or go back to a "
                           "backup of the whole folder",
                           path.string())};
}

// Whether the ledger has the entry that the change was prepared for.
Result<bool> is_decided(const Database& manifest, const PreparedChange& change) {
  const Result<LedgerRow> row = read_entry(manifest, change.sequence);
  if (row.ok()) return row->hash == change.entry;
  if (row.error().code == ErrorCode::kNotFound) return false;
  return row.error();
}

// Finishes what the ledger has decided, and undoes what it has not.  Nothing of it is left in a log.
Status settle_shard(const Database& manifest, const Database& shard) {
  UNSCATTER_TRY(change, read_prepared(shard));
  if (!change) return ok_status();
  UNSCATTER_TRY(decided, is_decided(manifest, *change));
  UNSCATTER_CHECK_OK(decided ? finish_prepared(shard, *change) : undo_prepared(shard));
  return shard.empty_log();
}

Result<bool> is_settled(const Database& shard) {
  UNSCATTER_TRY(rows, shard.integer("SELECT count(*) FROM prepared"));
  return rows == 0;
}

// Nothing if a shard waits for an update to be finished, and this opening may not write.
Result<std::optional<WorkspaceFiles>> open_folder(const fs::path& folder, std::chrono::milliseconds wait,
                                                  Access access) {
  UNSCATTER_TRY(manifest, open_database(manifest_path(folder), wait, access, FileKind::kManifest));
  UNSCATTER_TRY(identity, read_identity(manifest));
  UNSCATTER_TRY(layout, read_layout(manifest, identity));
  std::vector<Database> shards;
  for (std::size_t number = 0; number < layout.partition.parts; ++number) {
    UNSCATTER_TRY(shard, open_shard(folder, number, wait, access));
    UNSCATTER_TRY(found, read_shard_identity(shard));
    // Before anything is written to it: a prepared change of another workspace is none of ours.
    if (found.workspace != identity.id || found.number != number) {
      UNSCATTER_CHECK_OK(check_shard(found, identity.id, number, layout.touched[number], shard_path(folder, number)));
    }
    if (access == Access::kAlone) UNSCATTER_CHECK_OK(settle_shard(manifest, shard));
    UNSCATTER_TRY(settled, is_settled(shard));
    if (!settled) return std::optional<WorkspaceFiles>();
    UNSCATTER_TRY(now, read_shard_identity(shard));
    UNSCATTER_CHECK_OK(check_shard(now, identity.id, number, layout.touched[number], shard_path(folder, number)));
    shards.push_back(std::move(shard));
  }
  return std::optional(WorkspaceFiles(std::move(manifest), std::move(shards), layout.partition));
}

}  // namespace

bool is_sharded(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<std::optional<WorkspaceFiles>> WorkspaceFiles::beside(const WorkspaceTables& tables) {
  UNSCATTER_TRY(main, tables.main().beside());
  if (!main) return std::optional<WorkspaceFiles>();
  if (!tables.sharded()) return std::optional(WorkspaceFiles(*std::move(main)));
  std::vector<Database> shards;
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    UNSCATTER_TRY(shard, tables.part(part).beside());
    if (!shard) return std::optional<WorkspaceFiles>();
    shards.push_back(*std::move(shard));
  }
  return std::optional(WorkspaceFiles(*std::move(main), std::move(shards), tables.partition()));
}

Result<WorkspaceFiles> open_files(const fs::path& path, std::chrono::milliseconds wait, Access access) {
  if (!is_sharded(path)) {
    UNSCATTER_TRY(database, open_database(path, wait, access));
    return WorkspaceFiles(std::move(database));
  }
  std::error_code ignored;
  if (!fs::exists(manifest_path(path), ignored)) {
    return Error{ErrorCode::kIo, fmt::format("{} cannot be opened: it is a folder without {}, so it is no workspace",
                                             path.string(), manifest_path("").string())};
  }
  // A reader finishes nothing.  Where a crash has left an update half way, the folder is opened alone first.
  for (int round = 0;; ++round) {
    UNSCATTER_TRY(files, open_folder(path, wait, access));
    if (files) return *std::move(files);
    if (why_not_writable(manifest_path(path)) || round == 3) {
      return Error{ErrorCode::kIo,
                   fmt::format("{} has an update that a crash has interrupted, and it has to be finished "
                               "first; open it where it can be written",
                               path.string())};
    }
    UNSCATTER_CHECK_OK(open_folder(path, wait, Access::kAlone));
  }
}

std::optional<SlotPartition> partition_of(const ShardPlan& plan, std::size_t slots) {
  const std::size_t some = std::max<std::size_t>(1, slots);
  if (plan.slots_per_shard > 0) return SlotPartition::with_size(some, plan.slots_per_shard);
  if (plan.shards > 0) return SlotPartition::at_most(some, plan.shards);
  return std::nullopt;
}

Result<WorkspaceFiles> create_files(const fs::path& path, const std::optional<SlotPartition>& partition,
                                    std::chrono::milliseconds wait) {
  if (!partition) {
    UNSCATTER_TRY(database, create_database(path, wait));
    return WorkspaceFiles(std::move(database));
  }
  if (partition->parts > kMostShards) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a workspace has at most {} shards, and these would be {}; take larger ones", kMostShards,
                             partition->parts)};
  }
  if (::mkdir(path.c_str(), S_IRWXU) != 0) {
    return Error{errno == EEXIST ? ErrorCode::kInvalidArgument : ErrorCode::kIo,
                 fmt::format("{} cannot be made: {}", path.string(), std::generic_category().message(errno))};
  }
  const auto fill = [&]() -> Result<WorkspaceFiles> {
    // SQLite does so for the names of files.
    UNSCATTER_CHECK_OK(keep_name(path));
    UNSCATTER_TRY(manifest, create_database(manifest_path(path), wait));
    std::vector<Database> shards;
    for (std::size_t number = 0; number < partition->parts; ++number) {
      UNSCATTER_TRY(shard, create_database(shard_path(path, number), wait));
      shards.push_back(std::move(shard));
    }
    return WorkspaceFiles(std::move(manifest), std::move(shards), *partition);
  };
  Result<WorkspaceFiles> files = fill();
  if (!files.ok()) remove_files(path);
  return files;
}

void remove_files(const fs::path& path) noexcept {
  if (!is_sharded(path)) return remove_database(path);
  remove_database(manifest_path(path));
  for (std::size_t number = 0; number < kMostShards; ++number) remove_database(shard_path(path, number));
  std::error_code ignored;
  fs::remove(path, ignored);  // not if something else lies in it
}

std::vector<FileOfTables> files_of(const WorkspaceTables& tables, const fs::path& path) {
  if (!tables.sharded()) return {{&tables.main(), path}};
  std::vector<FileOfTables> files = {{&tables.main(), manifest_path(path)}};
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    files.push_back({&tables.part(part), shard_path(path, part)});
  }
  return files;
}

NewFiles::NewFiles(const WorkspaceTables& tables) : tables_(tables) {}

Result<NewFiles> NewFiles::begin(const WorkspaceTables& tables) {
  NewFiles files(tables);
  const auto open = [&](const Database& database) -> Status {
    UNSCATTER_TRY(transaction, Transaction::begin(database));
    files.transactions_.push_back(std::make_unique<Transaction>(std::move(transaction)));
    return ok_status();
  };
  UNSCATTER_CHECK_OK(open(tables.main()));
  UNSCATTER_CHECK_OK(create_tables(tables.main(), tables.sharded() ? FileKind::kManifest : FileKind::kWhole));
  for (std::size_t part = 0; tables.sharded() && part < tables.parts(); ++part) {
    UNSCATTER_CHECK_OK(open(tables.part(part)));
    UNSCATTER_CHECK_OK(create_tables(tables.part(part), FileKind::kShard));
  }
  return files;
}

Status NewFiles::commit(const std::string& workspace, const SigningKey& key) {
  for (std::size_t part = 0; tables_.sharded() && part < tables_.parts(); ++part) {
    UNSCATTER_CHECK_OK(write_shard_identity(tables_.part(part), {workspace, part, 0}));
  }
  if (tables_.sharded()) {
    const ShardLayout layout{tables_.partition(), std::vector<std::uint64_t>(tables_.parts(), 0)};
    UNSCATTER_CHECK_OK(write_layout(tables_.main(), workspace, key, layout));
  }
  return commit();
}

Status NewFiles::commit() {
  // The manifest last: until its tables are there, the folder is no workspace.
  for (std::size_t part = 0; tables_.sharded() && part < tables_.parts(); ++part) {
    // Not given up in between: gates are taken in the order of the shards, and those behind are held.
    const auto gate = tables_.part(part).hold();
    UNSCATTER_CHECK_OK(transactions_[part + 1]->commit());
    UNSCATTER_CHECK_OK(tables_.part(part).empty_log());
  }
  UNSCATTER_CHECK_OK(transactions_[0]->commit());
  // The log is emptied too, because a copy of the file alone has to be complete.
  return tables_.main().empty_log();
}

}  // namespace unscatter
