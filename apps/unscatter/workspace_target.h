// Where a new workspace is made, and how it gets to its place.
#pragma once

#include <filesystem>
#include <optional>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {

// Usually it is made there at once.  Where --force replaces a file, it is made beside it and takes its place when it is
// complete: a failed training must not cost the old workspace.
class WorkspaceTarget {
 public:
  explicit WorkspaceTarget(std::filesystem::path path);
  WorkspaceTarget(const WorkspaceTarget&) = delete;
  WorkspaceTarget& operator=(const WorkspaceTarget&) = delete;
  ~WorkspaceTarget();

  [[nodiscard]] bool replaces() const { return !temporary_.empty(); }
  [[nodiscard]] const std::filesystem::path& where() const { return temporary_.empty() ? path_ : temporary_; }

  // For a workspace that is closed.  `expected`: the file that is replaced must still have this head, because the new
  // one was learned from it.
  [[nodiscard]] Status settle(const WorkspaceOptions& options, const std::optional<Digest>& expected = {});

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: there is nothing to replace
};

}  // namespace unscatter::cli
