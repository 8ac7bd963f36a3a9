// The workspace file: its tables, how it is opened, what is refused.  Documented in docs/workspace-format.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "unscatter/base/result.h"

namespace unscatter {

// Frozen values.
inline constexpr std::int64_t kApplicationId = 0x756e7363;  // "unsc"
// A sharded workspace has other numbers, so that no file of it passes for a whole workspace.
inline constexpr std::int64_t kManifestId = 0x756e736d;  // "unsm"
inline constexpr std::int64_t kShardId = 0x756e7373;     // "unss"
inline constexpr std::int64_t kFormatVersion = 2;
// The format of unscatter 0.1.  It is read as it is, and upgrade_tables() makes it the present one.
inline constexpr std::int64_t kFirstFormat = 1;

// What a file is of a workspace.
enum class FileKind { kWhole, kManifest, kShard };

// Makes the file, which must not exist, readable for its owner only.  It becomes a workspace when create_tables() and
// its rows are committed.  Until then open_database() calls it interrupted.  Errors: kInvalidArgument if it exists,
// kIo.
[[nodiscard]] Result<Database> create_database(const std::filesystem::path& path, std::chrono::milliseconds wait);
// Whether the file has the tables of derived rows (docs/workspace-format.md, "Kept state").
[[nodiscard]] Result<bool> has_kept_tables(const Database& database);
// Makes them, empty, as far as a file of this kind has them.  Within a transaction of the caller.
[[nodiscard]] Status create_kept_tables(const Database& database, FileKind kind = FileKind::kWhole);
// Whether all pages hang together.  Reads the whole file.  A page that two tables claim would lose data at a write.
// Errors: kMalformedInput.
[[nodiscard]] Status check_pages(const Database& database, const std::filesystem::path& path);
// Within a transaction of the caller.
[[nodiscard]] Status create_tables(const Database& database, FileKind kind = FileKind::kWhole);
// The same without the numbers that make it a workspace, and those alone: for files that are filled in between.
[[nodiscard]] Status create_unnamed_tables(const Database& database, FileKind kind);
[[nodiscard]] Status name_file(const Database& database, FileKind kind);
// The tables of due dates, within a transaction of the caller, in a file from before they came.
[[nodiscard]] Status create_due_tables(const Database& database);
// Those of the queue of requests, within a transaction of the caller, in a file without them.
[[nodiscard]] Status create_queue_tables(const Database& database);
// kFirstFormat or kFormatVersion, of a file that open_database() has opened.
[[nodiscard]] Result<std::int64_t> format_of(const Database& database);
// From kFirstFormat to kFormatVersion, within a transaction of the caller.  Only tables change here.  Rows of `lists`
// stay.
[[nodiscard]] Status upgrade_tables(const Database& database);

// Who else may use the file meanwhile.
enum class Access {
  kAlone,   // nobody
  kReader,  // others that read
};
// Opens and takes the lock.  Checks that the file is a workspace of a known format.  Reads no more than a few pages.
// Empties a log that a crash left.  Errors: kNotFound, kUnavailable, kIo; kMalformedInput, saying what is wrong.
[[nodiscard]] Result<Database> open_database(const std::filesystem::path& path, std::chrono::milliseconds wait,
                                             Access access = Access::kAlone, FileKind kind = FileKind::kWhole);

// Names of the tables, without indices, that a workspace in one file and a manifest have both, and that `database` has.
[[nodiscard]] Result<std::vector<std::string>> main_tables(const Database& database);

// Removes the file and those that SQLite keeps beside it.
void remove_database(const std::filesystem::path& path) noexcept;

}  // namespace unscatter
