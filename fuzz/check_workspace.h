#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"

namespace unscatter::fuzz {

// Asks everything that can be asked of a workspace without its key.  Returns whether all of it was answered.
[[nodiscard]] inline bool read_everything(Workspace& workspace) {
  const RemovalRequest request = ForgetGraph{std::size_t{0}};
  bool answered = workspace.session().ok() && workspace.replay_digest().ok() && workspace.state_digest().ok();
  if (answered) static_cast<void>(workspace.preview(std::span(&request, 1)));
  for (std::size_t i = 0; i < std::min<std::size_t>(workspace.info().entries, 16); ++i) {
    const Result<LedgerRecord> record = workspace.entry(i);
    answered = answered && record.ok() && workspace.hash_of_entry(i).ok();
    if (record.ok() && record->kind == EntryKind::kForgotten) answered = answered && workspace.receipt(i).ok();
  }
  static_cast<void>(workspace.release());
  return answered;
}

// Takes the bytes as a workspace file.  It must be refused with a reason, or open.  What verification accepts must open
// and be readable.  `scratch` is a file that is written and removed; it should live in memory.
[[nodiscard]] inline std::string check_workspace(std::string_view bytes, const std::filesystem::path& scratch) {
  std::ofstream(scratch, std::ios::binary | std::ios::trunc) << bytes;
  const WorkspaceOptions how{.wait = std::chrono::milliseconds(0), .threads = 1};
  const Result<Verification> verification = verify_workspace(scratch, {}, how);
  std::string finding;
  {
    Result<Workspace> workspace = Workspace::open(scratch, how);
    const bool readable = workspace.ok() && read_everything(*workspace);
    if (verification.ok() && verification->checks.empty()) finding = "a verification without a check";
    if (verification.ok() && verification->passed && !readable) finding = "verified, but it cannot be read";
    if (!verification.ok() && verification.error().message.empty()) finding = "an error without a message";
    if (!workspace.ok() && workspace.error().message.empty()) finding = "an error without a message";
  }
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(std::filesystem::path(scratch.string() + suffix), ignored);
  }
  return finding;
}

}  // namespace unscatter::fuzz
