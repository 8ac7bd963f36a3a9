// Removals: one transaction each.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/stopwatch.h"
#include "base/wipe.h"
#include "store/stored_graph.h"
#include "store/workspace_state.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/version.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// Rows of the graphs that an update touches, and what they replace in the tree.
struct ChangedGraphs {
  std::vector<std::size_t> slots;
  std::vector<GraphRow> rows;
  std::vector<Digest> leaves_before;
};

Result<ChangedGraphs> changed_graphs(const Database& database, const MerkleTree& tree,
                                     std::span<const SlotChange> changes, RandomSource& random) {
  ChangedGraphs changed;
  for (const SlotChange& change : changes) {
    UNSCATTER_TRY(old, read_graph(database, change.slot));
    wipe(old.content);
    SlotSnapshot slot;
    slot.number = old.number;
    if (change.graph != nullptr) {
      slot.graph = *change.graph;
      slot.label = old.label;
      slot.graph_id = old.graph_id;
      slot.node_count_at_creation = old.nodes_at_creation;
      slot.node_numbers = *change.node_numbers;
    }
    wipe(old.graph_id);
    changed.slots.push_back(change.slot);
    changed.rows.push_back(to_row(slot, random));
    changed.leaves_before.push_back(tree.leaf(change.slot));
  }
  return changed;
}

// Changes the leaves, and changes them back unless it is told to keep them.
class TreeChange {
 public:
  TreeChange(MerkleTree& tree, const ChangedGraphs& changed) : tree_(tree), changed_(changed) {
    for (std::size_t i = 0; i < changed.slots.size(); ++i) {
      tree.set_leaf(changed.slots[i], changed.rows[i].leaf(changed.slots[i]));
    }
  }
  TreeChange(const TreeChange&) = delete;
  TreeChange& operator=(const TreeChange&) = delete;
  ~TreeChange() {
    if (kept_) return;
    for (std::size_t i = 0; i < changed_.slots.size(); ++i)
      tree_.set_leaf(changed_.slots[i], changed_.leaves_before[i]);
  }
  void keep() { kept_ = true; }

 private:
  MerkleTree& tree_;
  const ChangedGraphs& changed_;
  bool kept_ = false;
};

Receipt make_receipt(const LedgerRecord& record, const Digest& hash, const Certificate& certificate,
                     const SigningKey& key) {
  Receipt receipt;
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
  receipt.mechanism = record.mechanism;
  receipt.rule = record.rule;
  receipt.guarantee = record.guarantee;
  receipt.noise_stddev = record.noise_stddev;
  receipt.shift_limit = record.shift_limit;
  receipt.assumptions = certificate.assumptions;
  sign(receipt, key);
  return receipt;
}

// Everything of one removal but the model.
Status write_removal(const Database& database, const ChangedGraphs& changed, std::size_t sequence,
                     const LedgerRow& entry, const PendingRemoval& removal) {
  for (std::size_t i = 0; i < changed.slots.size(); ++i) {
    UNSCATTER_CHECK_OK(write_graph(database, changed.slots[i], changed.rows[i]));
  }
  UNSCATTER_CHECK_OK(erase_published(database));
  UNSCATTER_CHECK_OK(append_entry(database, sequence, entry));
  UNSCATTER_CHECK_OK(write_receipt(database, sequence, receipt_text(removal.receipt)));
  if (!removal.shred) UNSCATTER_CHECK_OK(write_salts(database, sequence, removal.salts));
  if (removal.list_before) UNSCATTER_CHECK_OK(erase_list(database, *removal.list_before));
  if (removal.list_after) UNSCATTER_CHECK_OK(write_list(database, *removal.list_after));
  return ok_status();
}

}  // namespace

Status SessionLedger::append(const LedgerEntry& entry, const PendingUpdate& update) {
  return state_->record(entry, update);
}

LedgerRecord Workspace::State::next_entry(EntryKind kind) const {
  LedgerRecord record = contents.chain.last;
  record.kind = kind;
  record.sequence = contents.chain.entries;
  record.previous = contents.chain.head;
  record.time = now();
  record.software = fmt::format("unscatter {}", version());
  record.requests = {};
  record.commitments.clear();
  record.graphs_edited = record.graphs_removed = 0;
  record.data_before = contents.chain.last.data_after;
  return record;
}

Status Workspace::State::commit(Transaction& transaction) {
  Status status = transaction.commit();
  if (!status.ok()) uncertain = true;
  return status;
}

Status Workspace::State::checkpoint(std::string_view what_was_done) {
  Status status = database.empty_log();
  if (status.ok()) return status;
  uncertain = true;
  return Error{ErrorCode::kIo,
               fmt::format("{}, but old pages could not be cleared from the disk; open the workspace again to "
                           "clear them: {}",
                           what_was_done, status.error().message)};
}

void Workspace::State::advance(LedgerRecord record, const LedgerRow& row) {
  contents.chain.last = std::move(record);
  contents.chain.head = row.hash;
  ++contents.chain.entries;
  info.entries = contents.chain.entries;
  info.head = row.hash;
}

Status Workspace::State::record(const LedgerEntry& entry, const PendingUpdate& update) {
  invariant(pending.has_value(), "an update that nobody asked the workspace for");
  Stopwatch watch;
  UNSCATTER_TRY(changed, changed_graphs(database, contents.graphs, update.changes, *random));
  TreeChange tree_change(contents.graphs, changed);

  StoredModel model{update.weights, update.residuals, std::nullopt,  entry.certificate,
                    update.rungs,   info.updates + 1, info.published};
  if (update.perturbation != nullptr) model.perturbation = *update.perturbation;
  const ModelRow model_row = to_row(model, *random);

  LedgerRecord record = next_entry(EntryKind::kForgotten);
  record.requests = entry.requests;
  pending->salts.clear();
  for (const RemovalRequest& request : pending->requests) {
    pending->salts.push_back(Salt::random(*random));
    record.commitments.push_back(commitment(request, pending->salts.back()));
  }
  record.graphs_edited = entry.graphs_edited;
  record.graphs_removed = entry.graphs_removed;
  record.data_after = contents.graphs.root();
  record.model = model_row.digest();
  set_certificate(record, entry.certificate);
  const LedgerRow row = make_entry(record, *options.key);
  pending->receipt = make_receipt(record, row.hash, entry.certificate, *options.key);
  times.record += watch.lap();

  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(write_removal(database, changed, record.sequence, row, *pending));
  UNSCATTER_CHECK_OK(write_model(database, model_row));
  times.write += watch.lap();
  UNSCATTER_CHECK_OK(commit(transaction));
  times.commit += watch.lap();

  tree_change.keep();
  info.graphs = record.graphs;
  info.updates = model.updates;
  info.rungs = model.rungs;
  info.certificate = std::move(model.certificate);
  advance(std::move(record), row);
  return ok_status();
}

Result<Forgotten> Workspace::State::forget(PendingRemoval removal) {
  UNSCATTER_CHECK_OK(require_writable());
  UNSCATTER_TRY(live_session, live());
  pending = std::move(removal);
  const StageTimes before = times;
  Stopwatch watch;
  Result<Certificate> certificate = live_session->forget(pending->requests);
  const double total = watch.lap();
  times.update +=
      total - (times.record - before.record) - (times.write - before.write) - (times.commit - before.commit);
  PendingRemoval done = *std::move(pending);
  pending.reset();
  if (!certificate.ok()) return std::move(certificate).error();
  UNSCATTER_CHECK_OK(
      checkpoint(fmt::format("the removal is in force and recorded as entry {}", done.receipt.sequence)));
  times.checkpoint += watch.lap();
  if (done.shred) wipe(done.salts);
  return Forgotten{*std::move(certificate), std::move(done.receipt), std::move(done.salts)};
}

Result<Forgotten> Workspace::forget(std::span<const RemovalRequest> requests, const ForgetOptions& options) {
  PendingRemoval removal;
  removal.requests = requests;
  removal.shred = options.shred;
  return state_->forget(std::move(removal));
}

Result<std::size_t> Workspace::shred(const RemovalRequest& request) {
  State& state = *state_;
  if (state.uncertain) return state.require_writable().error();
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  std::size_t destroyed = 0;
  std::vector<std::pair<std::size_t, std::vector<Salt>>> rewritten;
  const auto destroy = [&](std::size_t sequence, std::vector<Salt>& salts) -> Status {
    UNSCATTER_TRY(row, read_entry(state.database, sequence));
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    const std::size_t count = std::min(salts.size(), record.commitments.size());
    std::size_t here = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (commitment(request, salts[i]) != record.commitments[i]) continue;
      salts[i] = Salt{};
      ++here;
    }
    if (here > 0) rewritten.emplace_back(sequence, salts);
    destroyed += here;
    return ok_status();
  };
  UNSCATTER_CHECK_OK(visit_salts(state.database, destroy));
  for (auto& [sequence, salts] : rewritten) {
    UNSCATTER_CHECK_OK(write_salts(state.database, sequence, salts));
    wipe(salts);
  }
  // A list of which this request was one keeps a keyed digest of it; the digest of a list of one is as good as a salt.
  if (destroyed > 0) UNSCATTER_CHECK_OK(state.database.run("DELETE FROM lists"));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  UNSCATTER_CHECK_OK(state.checkpoint("the salts are destroyed"));
  return destroyed;
}

}  // namespace unscatter
