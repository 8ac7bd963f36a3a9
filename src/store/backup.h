// A copy of a workspace in one file, complete and without a trace of what was removed.
#pragma once

#include <chrono>
#include <filesystem>

#include "store/sqlite.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter {

// The name under which a copy is written until it is complete.  A process that is killed may leave such a file.  The
// next one that writes the same copy overwrites and removes it.
[[nodiscard]] std::filesystem::path unfinished_copy(const std::filesystem::path& to);

// Copies what the file `from`, open as `database`, holds.  `head`: the hash that the last entry of the copy must have.
// Errors leave `to` as it was: kInvalidArgument if it is there and must not be replaced, or is not a workspace;
// kUnavailable if another process uses `to` or writes it; kMalformedInput if the copy is not sound; kIo.
[[nodiscard]] Result<Backup> copy_database(const Database& database, const std::filesystem::path& from,
                                           const std::filesystem::path& to, const BackupOptions& options,
                                           const Digest& head, std::chrono::milliseconds wait);

}  // namespace unscatter
