#include "store/schema.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "store/schema_tables.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// Set before the file is read for the first time.  SQLite does without a shared memory file only if the lock is
// exclusive from the start.  A schema that nobody has checked yet must not be trusted.
Status configure(const Database& database, Access access = Access::kAlone) {
  // A reader holds a shared lock on the file for as long as it has the file open, and whoever writes an exclusive one.
  // So what a reader sees never changes.
  UNSCATTER_CHECK_OK(access == Access::kReader ? database.run("PRAGMA query_only = ON;")
                                               // one process at a time, and no shared memory file
                                               : database.run("PRAGMA locking_mode = EXCLUSIVE;"));
  return database.run(
      "PRAGMA trusted_schema = OFF;"  // the file may come from anywhere
      "PRAGMA cell_size_check = ON;"  // it may be damaged
      "PRAGMA secure_delete = ON;"    // what is deleted is overwritten
      "PRAGMA temp_store = MEMORY;"   // no temporary files
      "PRAGMA synchronous = FULL;");  // what was committed survives a power failure
}

// SQLite takes a file that is shorter than any page for an empty one.  check_header() would then call it interrupted
// and advise to delete it.
Status check_size(const fs::path& path) {
  constexpr std::uintmax_t kSmallestFile = 512;
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(path, unknown);
  if (unknown || size == 0 || size >= kSmallestFile) return ok_status();
  return Error{ErrorCode::kMalformedInput, fmt::format("{} is not a workspace", path.string())};
}

std::int64_t id_of(FileKind kind) {
  switch (kind) {
    case FileKind::kWhole: return kApplicationId;
    case FileKind::kManifest: return kManifestId;
    case FileKind::kShard: return kShardId;
  }
  return 0;
}

bool has_table(FileKind kind, const Table& table) {
  switch (table.where) {
    case Where::kMain: return kind != FileKind::kShard;
    case Where::kSlots: return kind != FileKind::kManifest;
    case Where::kManifest: return kind == FileKind::kManifest;
    case Where::kShard: return kind == FileKind::kShard;
  }
  return false;
}

Status check_header(const Database& database, const fs::path& path, FileKind kind) {
  UNSCATTER_TRY(application, database.integer("PRAGMA application_id"));
  UNSCATTER_TRY(format, database.integer("PRAGMA user_version"));
  // Invariant 1: tables and rows come in one transaction, so a file without tables was never a workspace.
  if (application == 0 && format == 0) {
    UNSCATTER_TRY(objects, database.integer("SELECT count(*) FROM sqlite_schema"));
    if (objects == 0) {
      return Error{ErrorCode::kMalformedInput,
                   fmt::format("{} is empty: making it was interrupted; delete it and train again", path.string())};
    }
  }
  if (kind == FileKind::kWhole && (application == kManifestId || application == kShardId)) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("{} is a part of a sharded workspace; give the folder that it lies in", path.string())};
  }
  if (application != id_of(kind)) {
    return Error{ErrorCode::kMalformedInput, fmt::format("{} is a database, but no workspace", path.string())};
  }
  // Before the tables are looked at: another format has other tables, and "damaged" would be the wrong word.
  if (format != kFormatVersion && format != kFirstFormat) {
    return Error{ErrorCode::kMalformedInput, fmt::format("{} has format {}, and this program knows formats {} and {}",
                                                         path.string(), format, kFirstFormat, kFormatVersion)};
  }
  return ok_status();
}

Status check_tables(const Database& database, const fs::path& path, FileKind kind) {
  UNSCATTER_TRY(format, format_of(database));
  const Error other{ErrorCode::kMalformedInput,
                    fmt::format("{} is damaged: its tables are not those of a workspace", path.string())};
  // Compared before any other statement runs.  A trigger could copy each row that a removal deletes to another table,
  // and a view in the place of a table could show rows that are not there.
  UNSCATTER_TRY(kept, has_kept_tables(database));
  UNSCATTER_TRY(dates, database.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'expiry%'"));
  UNSCATTER_TRY(queue, database.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'queue%'"));
  const auto expected_here = [&](SchemaPart part) {
    return part == SchemaPart::kAlways || (part == SchemaPart::kKept && kept) ||
           (part == SchemaPart::kDueDates && dates > 0) || (part == SchemaPart::kQueue && queue > 0);
  };
  Statement statement =
      database.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name");
  for (const Table& table : kTables) {
    if (!has_table(kind, table) || !expected_here(table.part)) continue;
    UNSCATTER_TRY(row, statement.step());
    if (!row) return other;
    UNSCATTER_TRY(type, statement.text(0));
    UNSCATTER_TRY(name, statement.text(1));
    UNSCATTER_TRY(sql, statement.text(2));
    const std::string_view expected = format == kFirstFormat && name == "lists" ? kListsOfFormat1 : table.sql;
    if (type != table.type || name != table.name || sql != expected) return other;
  }
  UNSCATTER_TRY(more, statement.step());
  if (more) return other;
  return ok_status();
}

}  // namespace

Status check_pages(const Database& database, const fs::path& path) {
  UNSCATTER_TRY(verdict, database.text("PRAGMA integrity_check(1)"));
  if (verdict == "ok") return ok_status();
  return Error{ErrorCode::kMalformedInput,
               fmt::format("{} is damaged: its pages do not hang together; go back to a copy of it", path.string())};
}

Result<bool> has_kept_tables(const Database& database) {
  // One of them stands for all: check_tables() asks for the others then.
  UNSCATTER_TRY(found, database.integer("SELECT count(*) FROM sqlite_schema WHERE name IN "
                                        "('curvature', 'embeddings', 'members', 'tree')"));
  return found > 0;
}

Status create_kept_tables(const Database& database, FileKind kind) {
  for (const Table& table : kTables) {
    if (table.part != SchemaPart::kKept || !has_table(kind, table)) continue;
    UNSCATTER_CHECK_OK(database.run(fmt::format("DROP TABLE IF EXISTS {}; {}", table.name, table.sql)));
  }
  return ok_status();
}

Result<Database> create_database(const fs::path& path, std::chrono::milliseconds wait) {
  // SQLite would make the file readable for everybody.  Its log takes over the mode of the file.  To change the mode
  // afterwards would be too late for somebody who has opened the file already.
  UNSCATTER_CHECK_OK(write_new_file(path, "", 0600));
  const auto fill = [&]() -> Result<Database> {
    UNSCATTER_TRY(database, Database::open(path, Database::Mode::kCreate, wait));
    UNSCATTER_CHECK_OK(configure(database));
    UNSCATTER_TRY(mode, database.text("PRAGMA journal_mode = WAL"));
    if (mode != "wal") {
      return Error{ErrorCode::kIo, fmt::format("{}: this file system takes no write-ahead log", path.string())};
    }
    return database;
  };
  Result<Database> database = fill();
  if (!database.ok()) remove_database(path);
  return database;
}

Status create_unnamed_tables(const Database& database, FileKind kind) {
  for (const Table& table : kTables) {
    if (table.part != SchemaPart::kQueue && has_table(kind, table)) UNSCATTER_CHECK_OK(database.run(table.sql));
  }
  return ok_status();
}

Status name_file(const Database& database, FileKind kind) {
  return database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", id_of(kind), kFormatVersion));
}

Status create_tables(const Database& database, FileKind kind) {
  UNSCATTER_CHECK_OK(create_unnamed_tables(database, kind));
  // Both numbers stand on the first page, in the caller's transaction.  A crash leaves a workspace or a file without
  // tables.
  return name_file(database, kind);
}

namespace {

Status create_part(const Database& database, SchemaPart part) {
  for (const Table& table : kTables) {
    if (table.part == part) UNSCATTER_CHECK_OK(database.run(table.sql));
  }
  return ok_status();
}

}  // namespace

Status create_due_tables(const Database& database) { return create_part(database, SchemaPart::kDueDates); }

Status create_queue_tables(const Database& database) { return create_part(database, SchemaPart::kQueue); }

Result<std::int64_t> format_of(const Database& database) { return database.integer("PRAGMA user_version"); }

Status upgrade_tables(const Database& database) {
  // Old rows have no entries.  Their seals stay what they were until a list goes on and its row is written anew.
  return database.run(
      fmt::format("CREATE TEMP TABLE old_lists AS SELECT done, seal FROM main.lists; DROP TABLE main.lists; {};"
                  "INSERT INTO lists(done, entries, seal) SELECT done, x'', seal FROM temp.old_lists;"
                  "DROP TABLE temp.old_lists; PRAGMA user_version = {}",
                  kLists, kFormatVersion));
}

namespace {

// A crash between COMMIT and checkpoint leaves a log.
bool has_log(const fs::path& path) {
  std::error_code missing;
  const auto size = fs::file_size(fs::path(path.string() + "-wal"), missing);
  return !missing && size > 0;
}

// Bytes 18 and 19 of the header (SQLite file format, "File format version numbers").  A frozen file is read without
// its log, and SQLite then does not say that it has one.
Result<std::string> journal_mode(const Database& database, Database::Mode mode) {
  if (mode != Database::Mode::kFrozen) return database.text("PRAGMA journal_mode");
  UNSCATTER_TRY(versions, database.read(18, 2));
  return std::string(versions[0] == 2 && versions[1] == 2 ? "wal" : "other");
}

Result<Database> open_and_check(const fs::path& path, std::chrono::milliseconds wait, Access access, FileKind kind,
                                Database::Mode how = Database::Mode::kExisting) {
  const auto reason = why_not_writable(path);
  if (reason && how != Database::Mode::kFrozen) {
    return Error{ErrorCode::kIo,
                 fmt::format("{} cannot be written: {}; nothing was changed.  Make it writable, or copy "
                             "it to a place that is",
                             path.string(), *reason)};
  }
  UNSCATTER_TRY(database, Database::open(path, how, wait));
  // Asked when the lock is held: before, somebody with more rights may have been writing.
  if (how == Database::Mode::kFrozen && has_log(path)) {
    return Error{ErrorCode::kIo, fmt::format("{} has a log that a crash left, and it has to be written back first, but "
                                             "{}; make it writable, or copy both to a place that is",
                                             path.string(), reason.value_or("nothing can be written"))};
  }
  const LogBefore log = access == Access::kAlone ? database.look_for_log() : LogBefore::kUnknown;
  UNSCATTER_CHECK_OK(configure(database, access));
  UNSCATTER_CHECK_OK(check_size(path));
  UNSCATTER_CHECK_OK(check_header(database, path, kind));
  if (access == Access::kAlone) database.spare_log_syncs(log);
  // In another mode SQLite may copy pages to a journal before it changes them, and it does not overwrite the journal
  // afterwards.  What was removed would stay on the disk.
  UNSCATTER_TRY(mode, journal_mode(database, how));
  if (mode != "wal") {
    return Error{ErrorCode::kMalformedInput, fmt::format("{} is damaged: it keeps no write-ahead log", path.string())};
  }
  UNSCATTER_CHECK_OK(check_tables(database, path, kind));
  // A crash between COMMIT and checkpoint leaves old pages in the file and the new ones in the log.  This finishes the
  // erasure.  It is the first write, after every check.
  if (access == Access::kAlone) UNSCATTER_CHECK_OK(database.empty_log());
  return database;
}

}  // namespace

Result<Database> open_database(const fs::path& path, std::chrono::milliseconds wait, Access access, FileKind kind) {
  if (access == Access::kAlone) return open_and_check(path, wait, access, kind);
  // Where nothing can be written, a file without a log can still be read.
  if (why_not_writable(path)) return open_and_check(path, wait, access, kind, Database::Mode::kFrozen);
  // A reader empties no log.  Where a crash has left one, the file is opened alone first.  Once the reader has it open,
  // nobody can leave another.
  for (int round = 0;; ++round) {
    if (has_log(path)) UNSCATTER_CHECK_OK(open_and_check(path, wait, Access::kAlone, kind));
    Result<Database> database = open_and_check(path, wait, access, kind);
    // Readers share an index of the log in memory.  Some file systems have no memory to share.  There a reader is
    // alone.
    if (!database.ok() && database.error().code == ErrorCode::kIo) {
      UNSCATTER_TRY(alone, open_and_check(path, wait, Access::kAlone, kind));
      // What is left of the attempt.  Nobody else can have it in use now.
      std::error_code ignored;
      fs::remove(fs::path(path.string() + "-shm"), ignored);
      return alone;
    }
    if (!database.ok() || !has_log(path) || round == 3) return database;
  }
}

Result<std::vector<std::string>> main_tables(const Database& database) {
  std::vector<std::string> names;
  for (const Table& table : kTables) {
    if (table.where != Where::kMain || table.type != "table") continue;
    Statement statement = database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = ?");
    statement.bind(1, table.name);
    UNSCATTER_CHECK_OK(statement.step());
    UNSCATTER_TRY(there, statement.integer(0));
    if (there > 0) names.emplace_back(table.name);
  }
  return names;
}

void remove_database(const fs::path& path) noexcept {
  // -shm and -journal are not made here.  Another tool may have left them.
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(fs::path(path.string() + suffix), ignored);
}

}  // namespace unscatter
