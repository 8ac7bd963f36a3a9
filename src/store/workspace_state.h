// The inside of a Workspace.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/contents.h"
#include "store/expiry.h"
#include "store/member_index.h"
#include "store/rollback_record.h"
#include "store/shard_update.h"
#include "store/sqlite.h"
#include "store/tables.h"
#include "store/workspace_files.h"
#include "store/workspace_tables.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// How a removal is written down.
struct RecordOptions {
  RecordOptions() = default;
  explicit RecordOptions(const ForgetOptions& options)
      : keep_salts(options.keep_salts), shred(options.shred), hand_out(options.hand_out) {}

  bool keep_salts = false;
  bool shred = false;
  std::function<Status(const Forgotten&)> hand_out = nullptr;
  // How far the list came before and comes with this removal, where it is part of one, and what entries it had made
  // before.
  std::optional<Digest> list_before = {};
  std::optional<Digest> list_after = {};
  std::vector<EntryRun> list_entries = {};
  // Of a replay: the head of the ledger that it takes the place of, and the models that were published under it.
  std::optional<Digest> supersedes = {};
  std::size_t published = 0;
  // Due dates that the removal honours, or that are about nothing any more.  They go with it.
  std::vector<DueKey> due_dates = {};
  DueDates new_dates = {};  // of an addition
  // Rows of a queue of requests that change with the removal: called within its transaction, last, with its entry.  An
  // error drops the removal.
  std::function<Status(const LedgerRecord& entry)> also_write = nullptr;
  // Called when the transaction is committed, whatever comes after.
  std::function<void()> committed = nullptr;
};

// What an update was asked for.
struct Asked {
  // NOLINTNEXTLINE(google-explicit-constructor): a removal is what most updates are.
  Asked(std::vector<RemovalRequest> removals) : requests(std::move(removals)) {}
  // An addition or corrections, by the texts that are committed to.
  Asked(EntryKind what, std::vector<std::string> spelled) : kind(what), texts(std::move(spelled)) {}

  EntryKind kind = EntryKind::kForgotten;
  std::vector<RemovalRequest> requests;
  std::vector<std::string> texts;
};

struct Workspace::Removal::Parts {
  State* workspace;
  PreparedRemoval update;
  Asked asked;
  std::vector<DueKey> due_dates = {};
  DueDates new_dates = {};
};

struct Workspace::State {
  State(std::filesystem::path where, WorkspaceFiles open, Contents parts, const WorkspaceOptions& how);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] WorkspaceInfo info() const;

  // Holds the file against its record, which grows by the entries that it lacks if the key is there.  An older file is
  // marked as such.
  [[nodiscard]] Status meet_record();
  // The session of all graphs, made when first needed.
  [[nodiscard]] Result<Session*> live();
  // The same before an update: kept state that is missing or damaged is made anew, if the file may be written.
  [[nodiscard]] Result<Session*> live_with_kept_state();
  // A session that can publish: that of all graphs, if there is one, or a part without a graph.
  [[nodiscard]] Result<Session*> publisher();
  // The stored residuals are about embeddings that were computed when they were written.  Where all rows are there, one
  // evaluation holds the weights against what was certified.  Errors: kMalformedInput.
  [[nodiscard]] Status check_weights(const Session& restored) const;
  // The rows of all graphs, as the file keeps them.  Errors: kMalformedInput where one is not what was written.
  [[nodiscard]] Result<KeptState::Rows> kept_rows();
  // The same where other processes read and hold some of them; nothing if this process has to read all.
  [[nodiscard]] std::optional<KeptState::Rows> rows_of_crew();
  // The kept state of the file, made anew from the session that lives.
  [[nodiscard]] Status rebuild_kept_state();
  // Which slots an update touches, and its first half on a session or on a part of one.
  using FindSlots = std::function<Result<std::vector<std::size_t>>()>;
  using PrepareUpdate = std::function<Result<PreparedRemoval>(Session&)>;
  // Whether so many requests are better honoured without a session of all graphs.
  [[nodiscard]] bool worth_staying_cold(std::size_t requests) const;
  // The first half of an update on what it touches.  Errors: kUnsupported and kMalformedInput where all graphs have to
  // be looked at; refusals as usual.
  [[nodiscard]] Result<PreparedRemoval> prepare_cold(const FindSlots& find, const PrepareUpdate& prepare_update);
  // On what it touches, if that is enough, or on the session of all graphs.
  [[nodiscard]] Result<PreparedRemoval> prepare_on(std::size_t requests, const FindSlots& find,
                                                   const PrepareUpdate& prepare_update);
  // The model that a part of a session has come to, without graphs.
  [[nodiscard]] SessionSnapshot model_in_memory_after(const PreparedRemoval& update) const;
  // Two updates at a time would both start from the same weights.
  void require_settled() const {
    invariant(!part || !part->update_is_prepared(), "an update is prepared; commit or drop it first");
  }
  // Errors: kInvalidArgument if `key` is missing or not the one that the workspace was created with; kIo after a commit
  // of unknown outcome; kOutdated for an older copy.
  [[nodiscard]] Status require_writable() const;
  [[nodiscard]] std::string now() const;

  // The first half of a removal: all of its computing.
  [[nodiscard]] Result<PreparedRemoval> prepare(std::span<const RemovalRequest> requests, OnRefusal on_refusal);
  // The same for an addition and for corrections.
  [[nodiscard]] Result<PreparedRemoval> prepare_addition(Dataset&& graphs);
  [[nodiscard]] Result<PreparedRemoval> prepare_corrections(std::span<const Correction> corrections);
  // The second half: writes, puts in force, clears what is old from the disk.  `asked`: what is honoured.
  [[nodiscard]] Result<Forgotten> forget(PreparedRemoval& removal, Asked asked, const RecordOptions& how);
  [[nodiscard]] Result<PublishedModel> publish();
  // Throws the session away and reads what the file has.
  [[nodiscard]] Status read_again();
  // An older copy may lack a renewal, and then counts more published models than one count covers.  This ends the count
  // of the copy, charged for all of them, in memory; the entry of the replay writes it down.
  [[nodiscard]] Status end_lost_count(std::size_t published_in_all);
  // A replay of a copy that lacks nothing but releases: an entry without a removal.
  [[nodiscard]] Result<Forgotten> write_empty_replay(const RecordOptions& how);

  // The next entry, of this kind and at the present time.  It says what the last one said, and follows it.
  [[nodiscard]] LedgerRecord next_entry(EntryKind kind) const;
  // Commits.  If that fails, it is not known what the disk has, and the object refuses further work.
  [[nodiscard]] Status commit(Transaction& transaction);
  // Finishes an update whose entry is on disk in all shards.  After an error the object refuses further work.
  [[nodiscard]] Status finish(ShardUpdate& shards, std::string_view what_was_done);
  // A copy of the workspace as one file or as a folder of such shards, under the name `to`, which must be free.  With
  // the partition that it has, it is a copy of the same folder, and no key is needed.
  [[nodiscard]] Result<Conversion> write_converted(const std::filesystem::path& to,
                                                   const std::optional<SlotPartition>& partition) const;
  // Workspace::backup() of a folder.
  [[nodiscard]] Result<Backup> copy_folder(const std::filesystem::path& to, const BackupOptions& how) const;
  // Empties the log.  After an error the object refuses further work, because what was removed may still be in the
  // file.
  [[nodiscard]] Status checkpoint(std::string_view what_was_done);
  // Writes the entry that is now the last one into the record beside the key.  An error says `what_was_done`, and then
  // the object refuses further work; the next opening writes the line.
  [[nodiscard]] Status remember(std::string_view what_was_done);
  // Takes an entry over that is on disk.
  void advance(LedgerRecord&& entry, const Digest& hash) noexcept;
  // Of the present state.
  [[nodiscard]] const Certificate& certificate() const {
    return session ? session->certificate() : contents.snapshot.certificate;
  }
  // How many models the ledger counts.
  [[nodiscard]] std::size_t published() const { return contents.chain.last.published; }

  std::filesystem::path path;
  WorkspaceFiles files;
  const Database& database;  // of `files`: all tables that are not about slots
  WorkspaceTables tables;    // of `files`: those that are
  Contents contents;         // snapshot: empty once the session lives
  WorkspaceOptions options;
  std::unique_ptr<RandomSource> random;
  std::optional<Session> session;
  std::optional<Session> part;  // of the removal that is prepared or was done last
  // From so many slots on, a sharded workspace is not read as a whole to remove something.
  std::size_t large_workspace = std::size_t{1} << 17;
  std::size_t cold_removals = 0;         // since the file was opened
  std::optional<MemberIndex> index;      // of the session of all graphs: what its updates have read
  bool kept_state_damaged = false;       // as far as somebody looked
  std::optional<RollbackRecord> record;  // with the key, where there is one
  std::size_t entries_on_record = 0;     // of this file, from the first on
  std::optional<Error> outdated;         // the file is older than its record, or another one
  bool uncertain = false;
  StageTimes times;
};

// From the entry and the promise only: numbers without noise never reach a receipt (docs/receipts.md).
[[nodiscard]] Receipt make_receipt(const LedgerRecord& record, const Digest& hash, const Promise& promise,
                                   const SigningKey& key);
// The entry after the last one of `contents`, of this kind.  It says what the last one said, and follows it.
[[nodiscard]] LedgerRecord following_entry(const Contents& contents, EntryKind kind, std::string time);

// Everything of a new workspace that is public, with the embedder that these constants mean.  The embedder is made of
// the constants as they are written.  So what is trained here is what will be opened later.
[[nodiscard]] Result<Contents> constants_of(const WorkspaceSetup& setup, const WorkspaceOptions& options,
                                            RandomSource& random);
// The model of contents.snapshot and the entry `created`, after graphs and kept state: the last part of a new file.
// Fills in the chain.
[[nodiscard]] Status write_first_entry(const Database& database, RandomSource& random, const std::string& time,
                                       const SigningKey& key, const std::optional<Digest>& continues,
                                       Contents& contents);

[[nodiscard]] std::unique_ptr<RandomSource> make_random(const WorkspaceOptions& options);
// 2026-01-31T23:59:59Z
[[nodiscard]] std::string time_text(const WorkspaceOptions& options);
// The options of the session behind a workspace: the stored ones, run as `how` says.
[[nodiscard]] SessionOptions session_options(const SessionOptions& stored, const WorkspaceOptions& how);

}  // namespace unscatter
