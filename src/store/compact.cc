#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "store/check.h"
#include "store/schema.h"
#include "store/workspace_files.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

Result<std::uintmax_t> bytes_of_file(const fs::path& path) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (!failed) return size;
  return Error{ErrorCode::kIo, fmt::format("{}: cannot be read: {}", path.string(), failed.message())};
}

Status compact_file(const FileOfTables& file, Compaction& done) {
  UNSCATTER_TRY(before, bytes_of_file(file.path));
  // In place, in one transaction through the log.  Another file that takes the name of this one would leave a process
  // that waits for the lock with the old file, and what it writes there would be lost.  Pages are collected in memory
  // (temp_store): a temporary file would be one more place with everybody's data.
  Status rebuilt = file.database->run("VACUUM");
  // A log that was given up holds copies of pages.  It goes, too.
  Status emptied = file.database->empty_log();
  if (!rebuilt.ok()) {
    Error error = std::move(rebuilt).error();
    error.message += "; the workspace is as it was";
    return error;
  }
  if (!emptied.ok()) {
    return Error{ErrorCode::kIo, fmt::format("{} is compacted, but old pages could not be cleared from the disk; open "
                                             "it again to clear them: {}",
                                             file.path.string(), emptied.error().message)};
  }
  UNSCATTER_TRY(after, bytes_of_file(file.path));
  done.bytes_before += before;
  done.bytes_after += after;
  return ok_status();
}

}  // namespace

Result<Compaction> compact_workspace(const fs::path& path, const WorkspaceOptions& options) {
  UNSCATTER_TRY(files, open_files(path, options.wait));
  const WorkspaceTables tables = files.tables();
  // Everything is written anew, and nothing of the old pages stays.  A file that is not sound would lose what could
  // still be read from it.  The record says nothing about pages, so an older copy may be compacted too.
  Verification found = check_database(tables, path, {}).verification;
  // Unused pages that are not empty are no obstacle: they go.
  std::erase_if(found.checks, [](const Check& check) { return check.name == "erasure"; });
  UNSCATTER_CHECK_OK(require_sound(found, path));
  Compaction done;
  // A crash between two shards leaves some of them compacted, and what they say is the same.
  for (const FileOfTables& file : files_of(tables, path)) UNSCATTER_CHECK_OK(compact_file(file, done));
  return done;
}

}  // namespace unscatter
