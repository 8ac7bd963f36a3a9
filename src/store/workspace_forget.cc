// Removals: one transaction each.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/stopwatch.h"
#include "base/wipe.h"
#include "linalg/wipe_matrix.h"
#include "store/correction_json.h"
#include "store/expiry.h"
#include "store/kept_state.h"
#include "store/shard_update.h"
#include "store/stored_curvature.h"
#include "store/stored_graph.h"
#include "store/workspace_state.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/version.h"
#include "unscatter/store/promise_text.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// Rows of the graphs that an update touches, and what they were before.
struct ChangedGraphs {
  std::vector<std::size_t> slots;
  std::vector<GraphRow> rows;
  std::vector<Digest> leaves;
  std::vector<GraphBefore> before;
  Leaving leaving;  // due dates follow it
};

void add_new_graph(const SlotChange& change, RandomSource& random, ChangedGraphs& changed) {
  SlotSnapshot slot;
  slot.number = change.number;
  slot.graph = *change.graph;
  slot.label = change.label;
  if (change.graph_id != nullptr) slot.graph_id = *change.graph_id;
  slot.node_count_at_creation = static_cast<std::uint32_t>(change.graph->node_count());
  changed.slots.push_back(change.slot);
  changed.rows.push_back(to_row(slot, random));
  changed.leaves.push_back(changed.rows.back().leaf(change.slot));
  changed.before.push_back({nullptr, std::nullopt, std::move(slot.graph_id)});  // there was none
}

// New graphs take the slots behind all others, in the order in which they came.
std::size_t first_new_slot(const PreparedRemoval& update) {
  for (const SlotChange& change : update.changes()) {
    if (change.added) return change.slot;
  }
  return 0;
}

// The row of a graph that changes, and the graph as it is before: that of the session, which still has it, or read from
// the file.  The row has its content only for as long as it takes to read the graph.
Result<std::pair<GraphRow, GraphBefore>> row_before(const WorkspaceTables& tables, std::size_t slot,
                                                    const std::optional<Session>& session) {
  std::pair<GraphRow, GraphBefore> found;
  auto& [row, before] = found;
  if (session) {
    UNSCATTER_TRY(name, read_graph_name(tables, slot));
    row = std::move(name);
    before = {session->graph(slot), std::nullopt, row.graph_id};
    return found;
  }
  UNSCATTER_TRY(old, read_graph(tables, slot));
  UNSCATTER_TRY(old_slot, slot_from_row(old));
  // Its bytes must not stay in freed memory once it is removed.
  wipe(old.content);
  row = std::move(old);
  before = {nullptr, std::move(old_slot.graph), std::move(old_slot.graph_id)};
  return found;
}

Result<ChangedGraphs> changed_graphs(const WorkspaceTables& tables, std::span<const SlotChange> changes,
                                     RandomSource& random, const std::optional<Session>& session) {
  ChangedGraphs changed;
  UNSCATTER_TRY(follow_subjects, has_subject_dates(tables.main()));
  for (const SlotChange& change : changes) {
    if (change.added) {
      add_new_graph(change, random, changed);
      continue;
    }
    // The index of ids needs it.
    UNSCATTER_TRY(found, row_before(tables, change.slot, session));
    GraphRow& old = found.first;
    changed.before.push_back(std::move(found.second));
    const Graph* graph_before = changed.before.back().graph();
    if (follow_subjects && graph_before != nullptr) {
      for (std::string& id : subjects_that_leave(*graph_before, change.graph)) {
        changed.leaving.subjects.push_back(std::move(id));
      }
    }
    if (change.graph == nullptr) changed.leaving.slots.push_back(change.slot);
    SlotSnapshot slot;
    slot.number = old.number;
    if (change.graph != nullptr) {
      slot.graph = *change.graph;
      slot.label = change.label;
      slot.graph_id = old.graph_id;
      slot.node_count_at_creation = old.nodes_at_creation;
      slot.node_numbers.assign(change.node_numbers.begin(), change.node_numbers.end());
    }
    // The id of a graph that goes may name somebody.
    wipe(old.graph_id);
    changed.slots.push_back(change.slot);
    changed.rows.push_back(to_row(slot, random));
    changed.leaves.push_back(changed.rows.back().leaf(change.slot));
  }
  return changed;
}

void wipe_before(ChangedGraphs& changed) noexcept {
  for (GraphBefore& before : changed.before) {
    before.of_session = nullptr;  // the session overwrites its own
    if (before.read) before.read->wipe();
    wipe(before.graph_id);
  }
}

// Changes the leaves, and changes them back unless it is told to keep them.  The entry needs the new root before
// anything is written, and the writing may fail.
class TreeChange {
 public:
  explicit TreeChange(StoredTree& tree) : tree_(tree), leaves_(tree.leaves()), root_(tree.root()) {}
  TreeChange(const TreeChange&) = delete;
  TreeChange& operator=(const TreeChange&) = delete;
  ~TreeChange() {
    // The file has the old tree, and what is needed of it is read again.
    if (!kept_) tree_.forget_parts(leaves_, root_);
  }
  [[nodiscard]] Status apply(const Database& database, const ChangedGraphs& changed) {
    // Slots ascend, and those of new graphs come last.
    const auto first_new = std::lower_bound(changed.slots.begin(), changed.slots.end(), leaves_);
    const auto there = static_cast<std::size_t>(first_new - changed.slots.begin());
    UNSCATTER_CHECK_OK(
        tree_.set_leaves(database, std::span(changed.slots).first(there), std::span(changed.leaves).first(there)));
    for (std::size_t i = there; i < changed.slots.size(); ++i) {
      UNSCATTER_CHECK_OK(tree_.set_leaf(database, changed.slots[i], changed.leaves[i]));
    }
    return ok_status();
  }
  void keep() noexcept {
    kept_ = true;
    tree_.written();
  }

 private:
  StoredTree& tree_;
  std::size_t leaves_;
  Digest root_;
  bool kept_ = false;
};

// Everything that one removal writes, spelled and signed.  Nothing of this is computed inside of the transaction.
struct RemovalRows {
  ChangedGraphs graphs;
  ModelRow model;
  LedgerRow entry;
  std::string receipt;
  std::optional<KeptCurvature> curvature;
};

// The caller's transaction holds all of it.  After a crash either every row is there or none (docs/workspace-format.md,
// "One transaction per removal").
Status write_removal(const WorkspaceTables& tables, const RemovalRows& rows, const PreparedRemoval& removal,
                     Contents& contents, MemberIndex& index, std::size_t sequence, std::span<const Salt> salts,
                     const RecordOptions& how) {
  const Database& database = tables.main();
  for (std::size_t i = 0; i < rows.graphs.slots.size(); ++i) {
    UNSCATTER_CHECK_OK(write_graph(tables, rows.graphs.slots[i], rows.graphs.rows[i]));
  }
  UNSCATTER_CHECK_OK(write_kept_changes(tables, removal, rows.graphs.before, rows.graphs.leaves, index, rows.curvature,
                                        contents.tree));
  // Invariant 10.  The published model was made of weights that knew what is removed now.
  UNSCATTER_CHECK_OK(erase_published(database));
  UNSCATTER_CHECK_OK(append_entry(database, sequence, rows.entry));
  UNSCATTER_CHECK_OK(write_receipt(database, sequence, rows.receipt));
  // A salt that never reaches the disk need not be destroyed there.  With the file alone, a commitment then cannot be
  // held against a guess.
  if (how.keep_salts && !how.shred) UNSCATTER_CHECK_OK(write_salts(database, sequence, salts));
  // In the same transaction as the effect: a list that goes on after a crash neither repeats a request nor leaves one
  // out.
  if (how.list_before) UNSCATTER_CHECK_OK(erase_list(database, *how.list_before));
  if (how.list_after)
    UNSCATTER_CHECK_OK(write_list(database, {*how.list_after, with_entry(how.list_entries, sequence)}));
  return write_model(database, rows.model);
}

StoredModel model_after(const PreparedRemoval& removal, std::size_t published) {
  StoredModel model{removal.weights(),     removal.residuals(), std::nullopt,
                    removal.certificate(), removal.rungs(),     published};
  if (removal.perturbation() != nullptr) model.perturbation = *removal.perturbation();
  model.features = removal.embedder()->blocks().front().features.describe();
  model.class_names = removal.class_names();
  return model;
}

// One salt per request.  With a common one, to open one commitment would be to open all of the receipt.
void commit_to(const Asked& asked, RandomSource& random, Forgotten& done) {
  for (const RemovalRequest& request : asked.requests) {
    done.salts.push_back(Salt::random(random));
    done.entry.commitments.push_back(commitment(request, done.salts.back()));
  }
  for (const std::string& text : asked.texts) {
    done.salts.push_back(Salt::random(random));
    done.entry.commitments.push_back(commitment_of_text(text, done.salts.back()));
  }
}

}  // namespace

LedgerRecord following_entry(const Contents& contents, EntryKind kind, std::string time) {
  // A copy of the last entry: workspace, constants, model and certificate stay unless the caller changes them.
  LedgerRecord entry = contents.chain.last;
  entry.version = kLedgerVersion;
  entry.kind = kind;
  entry.sequence = contents.chain.entries;
  entry.previous = contents.chain.head;
  entry.time = std::move(time);
  entry.software = fmt::format("unscatter {}", version());
  entry.requests = {};
  entry.commitments.clear();
  entry.graphs_edited = entry.graphs_removed = entry.graphs_added = 0;
  entry.data_before = contents.chain.last.data_after;
  entry.published_model.reset();
  entry.supersedes.reset();
  entry.continues.reset();
  return entry;
}

Receipt make_receipt(const LedgerRecord& record, const Digest& hash, const Promise& promise, const SigningKey& key) {
  Receipt receipt;
  receipt.kind = record.kind;
  receipt.workspace = record.workspace;
  receipt.sequence = record.sequence;
  receipt.time = record.time;
  receipt.software = record.software;
  receipt.requests = record.requests;
  receipt.commitments = record.commitments;
  receipt.data_before = record.data_before;
  receipt.data_after = record.data_after;
  receipt.previous = record.previous;
  receipt.entry = hash;
  if (record.kind == EntryKind::kReleased) receipt.release_number = record.published;
  receipt.published_model = record.published_model;
  receipt.promise = shown(promise, kReceiptPromise);
  sign(receipt, key);
  return receipt;
}

LedgerRecord Workspace::State::next_entry(EntryKind kind) const { return following_entry(contents, kind, now()); }

Status Workspace::State::commit(Transaction& transaction) {
  Status status = transaction.commit();
  if (status.ok()) return status;
  Error error = std::move(status).error();
  // Without room, the end of the transaction did not get into the log.  Once the log is empty, nothing can bring its
  // beginning back, and memory and disk agree.
  const bool no_room = database.out_of_room();
  transaction.drop();
  if (no_room && database.empty_log().ok()) {
    error.message += "; nothing was changed";
    return error;
  }
  // The disk may have either state.  Memory has the old one, and another write on top of it could break the chain.
  uncertain = true;
  error.message += "; whether it is done shows when the workspace is opened again";
  return error;
}

Status Workspace::State::checkpoint(std::string_view what_was_done) {
  Status status = database.empty_log();
  if (status.ok()) return status;
  // The removal is in force, but the file may still hold its old pages.  More removals must not be acknowledged on such
  // a file.  The next opening empties the log.
  uncertain = true;
  return Error{ErrorCode::kIo,
               fmt::format("{}, but old pages could not be cleared from the disk; open the workspace again to "
                           "clear them: {}",
                           what_was_done, status.error().message)};
}

Status Workspace::State::finish(ShardUpdate& shards, std::string_view what_was_done) {
  Status status = shards.finish();
  if (status.ok()) return status;
  uncertain = true;
  return Error{ErrorCode::kIo, fmt::format("{}, but not yet in every shard; open the workspace again to finish it: {}",
                                           what_was_done, status.error().message)};
}

void Workspace::State::advance(LedgerRecord&& entry, const Digest& hash) noexcept {
  contents.chain.last = std::move(entry);
  contents.chain.head = hash;
  ++contents.chain.entries;
}

Result<Forgotten> Workspace::State::forget(PreparedRemoval& removal, Asked asked, const RecordOptions& how) {
  // A prepared removal may have waited.  The key and the file are looked at again.
  UNSCATTER_CHECK_OK(require_writable());
  Forgotten done;
  Stopwatch watch;

  // Record: tree, model, entry, receipt.  All that may fail for reasons other than the disk comes before the
  // transaction.
  RemovalRows rows;
  UNSCATTER_TRY(changed, changed_graphs(tables, removal.changes(), *random, session));
  rows.graphs = std::move(changed);
  rows.graphs.leaving.dates = how.due_dates;
  TreeChange tree_change(contents.tree);
  UNSCATTER_CHECK_OK(tree_change.apply(database, rows.graphs));
  // A session that goes on has its curvature in memory.  The file gets it from a removal that stands alone.
  if (!session && may_keep(curvature_shape(contents))) rows.curvature = removal.curvature();
  const std::size_t published_so_far = std::max(published(), how.published);
  rows.model = to_row(model_after(removal, published_so_far), *random);
  done.certificate = removal.certificate();
  done.exposure = removal.exposure();
  done.entry = next_entry(how.supersedes ? EntryKind::kReplayed : asked.kind);
  done.entry.supersedes = how.supersedes;
  done.entry.published = published_so_far;
  done.entry.requests = removal.requests();
  commit_to(asked, *random, done);
  done.entry.graphs_edited = removal.graphs_edited();
  done.entry.graphs_removed = removal.graphs_removed();
  done.entry.graphs_added = removal.graphs_added();
  done.entry.data_after = contents.tree.root();
  done.entry.model = rows.model.digest();
  set_certificate(done.entry, done.certificate);
  rows.entry = make_entry(done.entry, *options.key);
  done.receipt = make_receipt(done.entry, rows.entry.hash, done.certificate.promise, *options.key);
  rows.receipt = receipt_text(done.receipt);
  done.requests = std::move(asked.requests);
  done.asked = std::move(asked.texts);
  LedgerRecord last = done.entry;  // copied here, because nothing may fail once it is on disk
  std::shared_ptr<const Embedder> embedder = removal.embedder();
  std::vector<std::string> class_names = removal.class_names();
  SessionSnapshot model_after_cold = session ? SessionSnapshot() : model_in_memory_after(removal);
  times.record += watch.lap();
  // Before the commit: salts that are not kept are nowhere else, and a crash after the commit would lose them.
  if (how.hand_out && !how.shred) UNSCATTER_CHECK_OK(how.hand_out(done));
  watch.lap();

  // Who reads in another thread sees all of the update or nothing: shards follow after the manifest.
  std::unique_lock<std::recursive_mutex> gate;
  if (files.sharded()) gate = database.hold();
  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_TRY(shards, ShardUpdate::begin(tables));
  // Taken out until the disk has what is written below: if that fails, it must not be used again.
  std::optional<MemberIndex> members = std::exchange(index, std::nullopt);
  const auto write = [&]() -> Status {
    if (!members) {
      UNSCATTER_TRY(opened, MemberIndex::open(tables, contents.identity.list_key));
      members = std::move(opened);
    }
    UNSCATTER_CHECK_OK(write_removal(tables, rows, removal, contents, *members, done.entry.sequence, done.salts, how));
    // What is gone has no due date: a date that stayed would name somebody who was removed.
    UNSCATTER_CHECK_OK(erase_due_dates(tables, contents.identity, *options.key, rows.graphs.leaving));
    wipe(rows.graphs.leaving.subjects);
    if (!how.new_dates.empty()) {
      UNSCATTER_CHECK_OK(add_due_dates(tables, contents.identity, *options.key, how.new_dates.graphs,
                                       first_new_slot(removal), how.new_dates.subjects));
    }
    UNSCATTER_CHECK_OK(how.also_write ? how.also_write(done.entry) : ok_status());
    return shards.prepare(contents.identity, *options.key, done.entry.sequence, rows.entry.hash);
  };
  if (Status written = write(); !written.ok()) {
    Error error = std::move(written).error();
    error.message += "; nothing was changed";
    return error;
  }
  times.write += watch.lap();
  if (Status decided = commit(transaction); !decided.ok()) {
    // Where the disk may have the entry, the next opening finds out whether the shards follow it.
    if (!uncertain) uncertain = !shards.undo().ok();
    return std::move(decided).error();
  }
  times.commit += watch.lap();

  // COMMIT has returned, so the disk has it.  From here to the checkpoint nothing can fail, and memory follows.
  tree_change.keep();
  // A session that goes on comes back to the same ids.
  if (session) index = std::move(members);
  if (how.committed) how.committed();
  wipe_before(rows.graphs);
  if (!session) {
    wipe_matrix(contents.snapshot.weights);
    contents.snapshot = std::move(model_after_cold);
    ++cold_removals;
  }
  removal.commit();
  contents.embedder = std::move(embedder);
  wipe(contents.class_names);
  contents.class_names = std::move(class_names);
  advance(std::move(last), rows.entry.hash);
  times.update += watch.lap();

  // After the commit.  A crash in between leaves a file that is one entry ahead of its record, and the next opening
  // writes the line.  The other order would leave a record that is ahead, and the owner's own file would be refused.
  const std::string in_force = fmt::format("{} in force and recorded as entry {}",
                                           asked.kind == EntryKind::kAdded       ? "the addition is"
                                           : asked.kind == EntryKind::kCorrected ? "the corrections are"
                                                                                 : "the removal is",
                                           done.entry.sequence);
  UNSCATTER_CHECK_OK(remember(in_force));
  times.commit += watch.lap();

  // COMMIT has put new pages into the log.  Until they are written back, the file still has the old ones.  So nothing
  // is acknowledged before (invariant 11).
  UNSCATTER_CHECK_OK(finish(shards, in_force));
  UNSCATTER_CHECK_OK(checkpoint(in_force));
  times.checkpoint += watch.lap();
  // The caller gets none either: a salt that leaves this function could be kept.
  if (how.shred) wipe(done.salts);
  return done;
}

Workspace::Removal::Removal(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Workspace::Removal::Removal(Removal&&) noexcept = default;
Workspace::Removal& Workspace::Removal::operator=(Removal&&) noexcept = default;
Workspace::Removal::~Removal() = default;

const Certificate& Workspace::Removal::certificate() const { return parts_->update.certificate(); }

const std::vector<RemovalRequest>& Workspace::Removal::requests() const { return parts_->asked.requests; }

const Exposure& Workspace::Removal::exposure() const { return parts_->update.exposure(); }

const std::vector<EditCounts>& Workspace::Removal::edits() const { return parts_->update.edits(); }

const EditCounts& Workspace::Removal::edits_together() const { return parts_->update.edits_together(); }

std::span<const SlotChange> Workspace::Removal::changes() const { return parts_->update.changes(); }

Result<Forgotten> Workspace::Removal::commit(const ForgetOptions& options) {
  invariant(parts_ != nullptr, "a removal is committed once");
  const std::unique_ptr<Parts> parts = std::move(parts_);  // dropped here if it cannot be written
  RecordOptions how(options);
  how.due_dates = std::move(parts->due_dates);
  how.new_dates = std::move(parts->new_dates);
  return parts->workspace->forget(parts->update, std::move(parts->asked), how);
}

Result<Workspace::Removal> Workspace::prepare(std::span<const RemovalRequest> requests) {
  UNSCATTER_TRY(update, state_->prepare(requests, OnRefusal::kRefuseBatch));
  Removal::Parts parts{state_.get(), std::move(update), Asked({requests.begin(), requests.end()}), {}, {}};
  return Removal(std::make_unique<Removal::Parts>(std::move(parts)));
}

Result<Forgotten> Workspace::forget(std::span<const RemovalRequest> requests, const ForgetOptions& options) {
  UNSCATTER_CHECK_OK(state_->require_writable());  // before the work rather than after it
  UNSCATTER_TRY(removal, prepare(requests));
  return removal.commit(options);
}

Result<Certificate> Workspace::preview(std::span<const RemovalRequest> requests, Exposure* exposure) {
  UNSCATTER_TRY(removal, prepare(requests));
  if (exposure != nullptr) *exposure = removal.exposure();
  return removal.certificate();
}

}  // namespace unscatter
