// The inside of a Workspace.
#pragma once

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
#include "unscatter/unlearn/ledger.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// The removal that is on its way through the session, from forget() to record() and back.
struct PendingRemoval {
  std::span<const RemovalRequest> requests;
  bool shred = false;
  // How far the list came before and comes with this removal, where it is part of one.
  std::optional<Digest> list_before;
  std::optional<Digest> list_after;

  // The outcome.
  Receipt receipt;
  std::vector<Salt> salts;
};

// What the session calls before it commits.
class SessionLedger final : public Ledger {
 public:
  void attach(Workspace::State* state) { state_ = state; }
  [[nodiscard]] Status append(const LedgerEntry& entry, const PendingUpdate& update) override;

 private:
  Workspace::State* state_ = nullptr;
};

struct Workspace::State {
  State(Database file, Contents parts, const WorkspaceOptions& how);

  // The session, embedded when first needed.
  [[nodiscard]] Result<Session*> live();
  // Errors: kInvalidArgument if `key` is missing or not the one the workspace was created with; kIo after a commit of
  // unknown outcome.
  [[nodiscard]] Status require_writable() const;
  [[nodiscard]] std::string now() const;

  // Writes an update and its entry, all or nothing, and makes it durable.
  [[nodiscard]] Status record(const LedgerEntry& entry, const PendingUpdate& update);
  [[nodiscard]] Result<Forgotten> forget(PendingRemoval removal);
  [[nodiscard]] Result<PublishedModel> publish();

  // An entry of this kind that says what the last one said, at the present time, and follows it.
  [[nodiscard]] LedgerRecord next_entry(EntryKind kind) const;
  // Commits, and keeps in mind where it cannot be known what the disk has.
  [[nodiscard]] Status commit(Transaction& transaction);
  // Empties the log.  After an error the object refuses further work: what was removed may still be in the file.
  [[nodiscard]] Status checkpoint(std::string_view what_was_done);
  // Takes an entry over that is on disk.
  void advance(LedgerRecord record, const LedgerRow& row);

  Database database;
  Contents contents;  // snapshot: empty once the session lives
  WorkspaceOptions options;
  WorkspaceInfo info;
  std::unique_ptr<RandomSource> random;
  std::shared_ptr<SessionLedger> ledger;
  std::optional<Session> session;
  std::optional<PendingRemoval> pending;
  bool uncertain = false;
  StageTimes times;
};

[[nodiscard]] std::unique_ptr<RandomSource> make_random(const WorkspaceOptions& options);
// 2026-01-31T23:59:59Z
[[nodiscard]] std::string time_text(const WorkspaceOptions& options);
// The options of the session behind a workspace: the stored ones, run as `how` says.
[[nodiscard]] SessionOptions session_options(const SessionOptions& stored, const WorkspaceOptions& how);

}  // namespace unscatter
