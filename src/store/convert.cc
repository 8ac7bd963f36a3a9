// A workspace in one file becomes a sharded one, or the other way round.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/wipe.h"
#include "store/backup.h"
#include "store/expiry.h"
#include "store/kept_state.h"
#include "store/merkle_tree.h"
#include "store/schema.h"
#include "store/shard_files.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"
#include "store/workspace_files.h"
#include "store/workspace_state.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// Files that this call has made.  They go unless they were finished.
class UnfinishedFiles {
 public:
  explicit UnfinishedFiles(fs::path path) : path_(std::move(path)) {}
  UnfinishedFiles(const UnfinishedFiles&) = delete;
  UnfinishedFiles& operator=(const UnfinishedFiles&) = delete;
  ~UnfinishedFiles() {
    if (!finished_) remove_files(path_);
  }
  void finish() noexcept { finished_ = true; }

 private:
  fs::path path_;
  bool finished_ = false;
};

std::string insert_into(const std::string& table, int columns) {
  std::string places = "?";
  for (int i = 1; i < columns; ++i) places += ", ?";
  return fmt::format("INSERT INTO {} VALUES({})", table, places);
}

Status copy_main_tables(const Database& from, const Database& to) {
  UNSCATTER_TRY(names, main_tables(from));
  bool queue = false;
  for (const std::string& name : names) {
    if (name.starts_with("queue") && !queue) {
      queue = true;
      UNSCATTER_CHECK_OK(create_queue_tables(to));
    }
    UNSCATTER_TRY(columns, from.integer(fmt::format("SELECT count(*) FROM pragma_table_info('{}')", name)));
    UNSCATTER_CHECK_OK(copy_rows(from, "SELECT * FROM " + name, {}, to, insert_into(name, static_cast<int>(columns))));
  }
  return ok_status();
}

// A row of a slot that cannot be is not copied, and the check of the copy misses it.
Status copy_slots(const WorkspaceTables& from, const WorkspaceTables& to, std::size_t part) {
  const auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  const std::int64_t bounds[] = {static_cast<std::int64_t>(to.partition().first(part)),
                                 static_cast<std::int64_t>(std::min(to.partition().end(part), most))};
  for (std::size_t source = 0; source < from.parts(); ++source) {
    for (const auto& [table, columns] : {std::pair("graphs", 8), std::pair("embeddings", 3)}) {
      const std::string select = fmt::format("SELECT * FROM {} WHERE slot >= ? AND slot < ? ORDER BY slot", table);
      UNSCATTER_CHECK_OK(copy_rows(from.part(source), select, bounds, to.part(part), insert_into(table, columns)));
    }
  }
  return ok_status();
}

Status write_index(const WorkspaceTables& tables, std::size_t part, const Salt& key) {
  std::size_t members = 0;
  std::size_t next = tables.partition().first(part);
  UNSCATTER_CHECK_OK(visit_graphs_of_part(tables, part, next, [&](std::size_t, GraphRow& row) -> Status {
    if (!row.present) return ok_status();
    UNSCATTER_TRY(kept, slot_from_row(row));
    wipe(row.content);
    members += members_of(*kept.graph);
    kept.graph->wipe();
    return ok_status();
  }));
  constexpr std::size_t kIndexMemory = std::size_t{1} << 28;
  return write_members_of_part(tables, part, members, key, kIndexMemory);
}

// All that an opening checks, and all graphs, rows, ids and digests, one after the other.
Status check_converted(const fs::path& path, const Digest& head) {
  UNSCATTER_TRY(files, open_files(path, std::chrono::milliseconds(0)));
  const WorkspaceTables tables = files.tables();
  UNSCATTER_TRY(contents, read_contents(tables));
  const Error other{ErrorCode::kMalformedInput,
                    fmt::format("{}: the copy is not what the ledger says; the workspace itself may be damaged, and "
                                "'unscatter check' tells",
                                path.string())};
  if (contents.chain.head != head) return other;
  std::vector<Digest> leaves;
  UNSCATTER_CHECK_OK(visit_graphs(tables, [&](std::size_t slot, GraphRow& row) {
    leaves.push_back(row.leaf(slot));
    wipe(row.content);
    return ok_status();
  }));
  if (MerkleTree(leaves).root() != contents.chain.last.data_after) return other;
  const auto pass_over = [](std::size_t, std::span<const std::byte>) { return ok_status(); };
  UNSCATTER_CHECK_OK(visit_row_contents(tables, leaves, contents.chain.last.graphs, pass_over));
  return check_index_and_tree(tables, contents);
}

Error convert_error(const fs::path& path, std::string_view what) {
  return {ErrorCode::kIo, fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno))};
}

// Both names change at once, so one of the two workspaces is there whatever happens.
Status exchange(const fs::path& one, const fs::path& other) {
  constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE, which some C libraries do not name
  if (::syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), kExchange) != 0) {
    return convert_error(other, "cannot be replaced");
  }
  // Durable before the files of the old one go.
  return keep_name(other);
}

std::uintmax_t bytes_of_files(const WorkspaceTables& tables, const fs::path& path) {
  std::uintmax_t bytes = 0;
  for (const FileOfTables& file : files_of(tables, path)) {
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(file.path, ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

}  // namespace

Result<Conversion> Workspace::State::write_converted(const fs::path& to,
                                                     const std::optional<SlotPartition>& partition) const {
  // What memory says of the head may be older than the file.
  if (uncertain) return require_writable().error();
  // An older copy may hold what was removed since.
  if (outdated) return *outdated;
  UNSCATTER_TRY(dated, has_due_dates(database));
  if (contents.format != kFormatVersion || !contents.has_kept_state || !dated) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} was made by an older version and keeps less than it does today; 'unscatter upgrade' and "
                    "one removal bring it up to date",
                    path.string())};
  }
  const bool same = partition && files.sharded() && *partition == tables.partition();
  if (partition && !same && (options.key == nullptr || options.key->public_key() != contents.identity.signer)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the list of shards is signed: the key {} is needed", contents.identity.signer.hex())};
  }
  // Left by a process that was killed.
  remove_files(to);
  UNSCATTER_TRY(target, create_files(to, partition, options.wait));
  UnfinishedFiles unfinished(to);
  Conversion done{partition ? partition->parts : 0, partition ? partition->slots_per_part : 0, 0,
                  contents.chain.entries, contents.chain.head};
  {
    const auto gate = database.hold();
    const WorkspaceTables written = target.tables();
    UNSCATTER_TRY(transaction, NewFiles::begin(written));
    UNSCATTER_CHECK_OK(copy_main_tables(database, written.main()));
    const std::uint64_t last = contents.chain.entries - 1;
    std::vector<std::uint64_t> touched(written.parts(), last);
    if (same) {
      UNSCATTER_TRY(layout, read_layout(database, contents.identity));
      touched = layout.touched;
      UNSCATTER_CHECK_OK(copy_rows(database, "SELECT * FROM shards", {}, written.main(), insert_into("shards", 4)));
    } else if (partition) {
      UNSCATTER_CHECK_OK(write_layout(written.main(), contents.identity.id, *options.key, {*partition, touched}));
    }
    for (std::size_t shard = 0; shard < written.parts(); ++shard) {
      UNSCATTER_CHECK_OK(copy_slots(tables, written, shard));
      UNSCATTER_CHECK_OK(write_index(written, shard, contents.identity.list_key));
      if (!partition) continue;
      UNSCATTER_CHECK_OK(write_shard_identity(written.part(shard), {contents.identity.id, shard, touched[shard]}));
    }
    UNSCATTER_CHECK_OK(transaction.commit());
    done.bytes = bytes_of_files(written, to);
    const WorkspaceFiles closed = std::move(target);
  }
  // A copy that was never read is none.
  UNSCATTER_CHECK_OK(check_converted(to, contents.chain.head));
  unfinished.finish();
  return done;
}

Result<Conversion> Workspace::convert(const fs::path& to, const ShardPlan& plan) const {
  const State& state = *state_;
  std::error_code ignored;
  if (fs::symlink_status(to, ignored).type() != fs::file_type::not_found) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists already", to.string())};
  }
  const fs::path unfinished = unfinished_copy(to);
  UNSCATTER_TRY(done, state.write_converted(unfinished, partition_of(plan, state.contents.tree.leaves())));
  Status named = rename_durably(unfinished, to);
  if (!named.ok()) {
    remove_files(unfinished);
    return std::move(named).error();
  }
  return done;
}

Result<Backup> Workspace::State::copy_folder(const fs::path& to, const BackupOptions& how) const {
  std::error_code ignored;
  const bool there = fs::symlink_status(to, ignored).type() != fs::file_type::not_found;
  if (there && fs::equivalent(path, to, ignored)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is the workspace itself", to.string())};
  }
  if (there && !how.replace) return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists already", to.string())};
  if (there) {
    // Only a workspace that nobody uses is replaced.
    const Result<WorkspaceFiles> old =
        is_sharded(to) ? open_files(to, options.wait) : Result<WorkspaceFiles>(Error{ErrorCode::kMalformedInput, ""});
    if (!old.ok() && old.error().code != ErrorCode::kMalformedInput && old.error().code != ErrorCode::kIo) {
      return old.error();
    }
    if (!old.ok()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("'{}' is not a sharded workspace, or is damaged, and only one is replaced by a copy of "
                               "one; choose another name, or remove it first",
                               to.string())};
    }
  }
  const fs::path unfinished = unfinished_copy(to);
  UNSCATTER_TRY(copied, write_converted(unfinished, tables.partition()));
  Status named = there ? exchange(unfinished, to) : rename_durably(unfinished, to);
  if (there || !named.ok()) remove_files(unfinished);
  UNSCATTER_CHECK_OK(std::move(named));
  return Backup{copied.entries, copied.head, contents.chain.last.time, copied.bytes};
}

}  // namespace unscatter
