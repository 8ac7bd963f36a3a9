// The session behind a workspace: that of all graphs, a part that publishes, and what the file keeps for both.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/wipe.h"
#include "store/kept_state.h"
#include "store/models_before.h"
#include "store/schema.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"
#include "store/workspace_state.h"

namespace unscatter {

Result<Session*> Workspace::State::live() {
  if (!session) {
    // What is in memory may be older than the disk.  A session made of it would answer from a state that is gone.
    if (uncertain) return require_writable().error();
    require_settled();
    part.reset();
    // Everything is read here, so everything is checked here.
    for (const FileOfTables& file : files_of(tables, path)) {
      UNSCATTER_CHECK_OK(check_pages(*file.database, file.path));
    }
    UNSCATTER_CHECK_OK(check_links(database));
    UNSCATTER_CHECK_OK(read_data(tables, contents));
    KeptState kept;
    if (contents.has_kept_state) {
      Result<KeptState::Rows> rows = kept_rows();
      if (!rows.ok() && rows.error().code != ErrorCode::kMalformedInput) return std::move(rows).error();
      const Status followers = check_index_and_tree(tables, contents);
      if (!followers.ok() && followers.error().code != ErrorCode::kMalformedInput) return followers.error();
      kept_state_damaged = kept_state_damaged || !rows.ok() || !followers.ok();
      if (rows.ok()) kept.rows = *std::move(rows);
    }
    // Moved: two copies of all graphs would double the memory.
    UNSCATTER_TRY(before, models_before(database, contents));
    SessionSnapshot snapshot = std::move(contents.snapshot);
    snapshot.models_before = std::move(before);
    contents.snapshot = {};
    contents.snapshot.certificate = snapshot.certificate;  // what info() shows if this fails
    contents.snapshot.rungs = snapshot.rungs;
    Result<Session> restored =
        Session::restore(std::move(snapshot), contents.embedder, session_options(contents.constants.options, options),
                         make_random(options), std::move(kept));
    if (!restored.ok()) {
      uncertain = true;  // the snapshot is gone
      return std::move(restored).error();
    }
    const Status honest = check_weights(*restored);
    if (!honest.ok()) {
      uncertain = true;
      return honest.error();
    }
    session = *std::move(restored);
  }
  return &*session;
}

Status Workspace::State::check_weights(const Session& restored) const {
  // The lower side is held against the certificate: rounding must not accuse a model that is right.
  const EvaluatedResidual found = restored.evaluate();
  const double certified = restored.certificate().residual_upper_bound;
  if (found.satisfied && found.lower_bound <= certified) return ok_status();
  return Error{
      ErrorCode::kMalformedInput,
      fmt::format("{}: the kept weights have a residual between {:.3g} and {:.3g} on the graphs that are "
                  "there; certified is at most {:.3g}, and the guarantee is {}met.  Nothing is removed or "
                  "published on top of this; train again",
                  path.string(), found.lower_bound, found.upper_bound, certified, found.satisfied ? "" : "not ")};
}

Result<Session*> Workspace::State::live_with_kept_state() {
  UNSCATTER_TRY(live_session, live());
  const bool serves = contents.has_kept_state && !kept_state_damaged;
  if (!serves && require_writable().ok()) UNSCATTER_CHECK_OK(rebuild_kept_state());
  return live_session;
}

Result<KeptState::Rows> Workspace::State::kept_rows() {
  UNSCATTER_TRY(leaves, contents.tree.stored_leaves(database));
  return read_rows(tables, leaves, contents.chain.last.graphs, weight_rows(contents), class_count(contents));
}

Result<Session*> Workspace::State::publisher() {
  if (session) return &*session;
  if (uncertain) return require_writable().error();
  require_settled();
  SessionSnapshot nothing = contents.snapshot;
  nothing.others = OtherSlots{{}, contents.tree.leaves(), contents.chain.last.graphs, {}};
  UNSCATTER_TRY(restored, Session::restore(std::move(nothing), contents.embedder,
                                           session_options(contents.constants.options, options), make_random(options)));
  part = std::move(restored);
  return &*part;
}

Status Workspace::State::rebuild_kept_state() {
  index.reset();
  UNSCATTER_TRY(live_session, live());
  std::vector<Digest> leaves;
  UNSCATTER_CHECK_OK(visit_graphs(tables, [&](std::size_t slot, GraphRow& row) {
    leaves.push_back(row.leaf(slot));
    wipe(row.content);
    return ok_status();
  }));
  // Of a sharded workspace in one transaction for each file.  Nothing signed changes, and a crash in between leaves
  // kept state that is damaged, as it was before.
  const auto gate = database.hold();
  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(create_kept_tables(database, files.sharded() ? FileKind::kManifest : FileKind::kWhole));
  std::vector<std::unique_ptr<Transaction>> of_shards;
  for (const Database& shard : files.shards()) {
    UNSCATTER_TRY(begun, Transaction::begin(shard));
    of_shards.push_back(std::make_unique<Transaction>(std::move(begun)));
    UNSCATTER_CHECK_OK(create_kept_tables(shard, FileKind::kShard));
  }
  StoredTree tree;
  UNSCATTER_CHECK_OK(write_kept_state(tables, *live_session, leaves, contents.identity.list_key, tree));
  for (const std::unique_ptr<Transaction>& of_shard : of_shards) UNSCATTER_CHECK_OK(of_shard->commit());
  UNSCATTER_CHECK_OK(commit(transaction));
  for (const Database& shard : files.shards()) UNSCATTER_CHECK_OK(shard.empty_log());
  tree.written();
  contents.tree = std::move(tree);
  contents.has_kept_state = true;
  kept_state_damaged = false;
  return checkpoint("the kept state is made anew");
}

}  // namespace unscatter
