#include "workspace_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "files.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

Status remove_side_files(const fs::path& workspace) {
  // A file that is not there is no error for remove().
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    std::error_code error;
    fs::remove(fs::path(workspace) += suffix, error);
    if (error)
      return Error{ErrorCode::kIo,
                   fmt::format("'{}{}' cannot be removed: {}", workspace.string(), suffix, error.message())};
  }
  return ok_status();
}

}  // namespace

WorkspaceTarget::WorkspaceTarget(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  // With the process id, so that two runs do not write to one file.  In the same folder, because a rename works
  // within one file system only.
  if (fs::exists(path_, ignored)) temporary_ = fs::path(path_) += fmt::format(".{}.new", ::getpid());
}

WorkspaceTarget::~WorkspaceTarget() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
  static_cast<void>(remove_side_files(temporary_));
}

Status WorkspaceTarget::settle(const WorkspaceOptions& options, const std::optional<Digest>& expected) {
  if (temporary_.empty()) return ok_status();
  {
    // Nobody may be using the old one, and its log must be in its file.  A damaged old file is no obstacle: it is
    // replaced anyway.
    const Result<Workspace> old = Workspace::open(path_, options);
    if (!old.ok() && (expected || old.error().code == ErrorCode::kUnavailable)) return old.error();
    // What was removed since would come back.
    if (expected && old->info().head != *expected) {
      return Error{
          ErrorCode::kOutdated,
          fmt::format("{} was changed while it was trained again; nothing was replaced, so try again", path_.string())};
    }
  }
  // Before the rename, or SQLite would take these files for the new workspace's.  The opening above has emptied the
  // old log, so a crash in between leaves the old workspace whole.
  UNSCATTER_CHECK_OK(remove_side_files(path_));
  return rename_durably(temporary_, path_);
}

}  // namespace unscatter::cli
