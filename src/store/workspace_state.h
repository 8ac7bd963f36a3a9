// The inside of a Workspace.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/contents.h"
#include "store/sqlite.h"
#include "store/tables.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// How a removal is written down.
struct RecordOptions {
  bool shred = false;
  // How far the list came before and comes with this removal, where it is part of one.
  std::optional<Digest> list_before = {};
  std::optional<Digest> list_after = {};
};

struct Workspace::Removal::Parts {
  State* workspace;
  PreparedRemoval update;
  std::vector<RemovalRequest> requests;
};

struct Workspace::State {
  State(std::filesystem::path where, Database file, Contents parts, const WorkspaceOptions& how);

  [[nodiscard]] WorkspaceInfo info() const;

  // The session, embedded when first needed.
  [[nodiscard]] Result<Session*> live();
  // Errors: kInvalidArgument if `key` is missing or not the one the workspace was created with; kIo after a commit of
  // unknown outcome.
  [[nodiscard]] Status require_writable() const;
  [[nodiscard]] std::string now() const;

  // The first half of a removal: all of its computing.
  [[nodiscard]] Result<PreparedRemoval> prepare(std::span<const RemovalRequest> requests, OnRefusal on_refusal);
  // The second half: writes, puts in force, clears what is old from the disk.  `requests`: those that are honoured.
  [[nodiscard]] Result<Forgotten> forget(PreparedRemoval& removal, std::vector<RemovalRequest> requests,
                                         const RecordOptions& how);
  [[nodiscard]] Result<PublishedModel> publish();

  // An entry of this kind that says what the last one said, at the present time, and follows it.
  [[nodiscard]] LedgerRecord next_entry(EntryKind kind) const;
  // Commits, and keeps in mind where it cannot be known what the disk has.
  [[nodiscard]] Status commit(Transaction& transaction);
  // Empties the log.  After an error the object refuses further work: what was removed may still be in the file.
  [[nodiscard]] Status checkpoint(std::string_view what_was_done);
  // Takes an entry over that is on disk.
  void advance(LedgerRecord&& entry, const Digest& hash) noexcept;
  // Of the present state.
  [[nodiscard]] const Certificate& certificate() const {
    return session ? session->certificate() : contents.snapshot.certificate;
  }
  // How many models the ledger counts.
  [[nodiscard]] std::size_t published() const { return contents.chain.last.published; }

  std::filesystem::path path;
  Database database;
  Contents contents;  // snapshot: empty once the session lives
  WorkspaceOptions options;
  std::unique_ptr<RandomSource> random;
  std::optional<Session> session;
  bool uncertain = false;
  StageTimes times;
};

[[nodiscard]] std::unique_ptr<RandomSource> make_random(const WorkspaceOptions& options);
// 2026-01-31T23:59:59Z
[[nodiscard]] std::string time_text(const WorkspaceOptions& options);
// The options of the session behind a workspace: the stored ones, run as `how` says.
[[nodiscard]] SessionOptions session_options(const SessionOptions& stored, const WorkspaceOptions& how);

}  // namespace unscatter
