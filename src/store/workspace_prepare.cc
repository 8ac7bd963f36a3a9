// The first half of a removal or a correction: all of its computing, on what is touched or on a session of all graphs.
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "learn/curvature_form.h"
#include "store/cold.h"
#include "store/kept_state.h"
#include "store/shard_crew.h"
#include "store/stored_curvature.h"
#include "store/stored_rows.h"
#include "store/streamed_curvature.h"
#include "store/workspace_state.h"
#include "unlearn/ladder.h"

namespace unscatter {

Result<PreparedRemoval> Workspace::State::prepare(std::span<const RemovalRequest> requests, OnRefusal on_refusal) {
  return prepare_on(
      requests.size(), [&] { return touched_slots(tables, contents, requests); },
      [&](Session& with) { return with.prepare(requests, on_refusal); });
}

Result<PreparedRemoval> Workspace::State::prepare_corrections(std::span<const Correction> corrections) {
  return prepare_on(
      corrections.size(), [&] { return touched_slots(tables, contents, corrections); },
      [&](Session& with) { return with.prepare_corrections(corrections); });
}

Result<PreparedRemoval> Workspace::State::prepare_on(std::size_t requests, const FindSlots& find,
                                                     const PrepareUpdate& prepare_update) {
  // A preview too: an older copy does not know who has seen which models.
  if (outdated) return *outdated;
  Stopwatch watch;
  if (!session && worth_staying_cold(requests)) {
    Result<PreparedRemoval> cold = prepare_cold(find, prepare_update);
    if (cold.ok()) {
      Status follows = check_index_and_tree(tables, contents, *cold);
      if (!follows.ok()) cold = std::move(follows).error();
    }
    times.update += watch.lap();
    // A refusal is final.  Otherwise the part was not enough, or something kept is damaged, which live() looks at.
    const bool needs_all =
        !cold.ok() && (cold.error().code == ErrorCode::kUnsupported || cold.error().code == ErrorCode::kMalformedInput);
    if (!needs_all) return cold;
    kept_state_damaged = kept_state_damaged || cold.error().code == ErrorCode::kMalformedInput;
    part.reset();
  }
  UNSCATTER_TRY(live_session, live_with_kept_state());
  watch.lap();
  Result<PreparedRemoval> update = prepare_update(*live_session);
  times.update += watch.lap();
  return update;
}

bool Workspace::State::worth_staying_cold(std::size_t requests) const {
  // A session of all graphs serves many removals for the price of one opening.
  constexpr std::size_t kFew = 16;
  if (session || !contents.has_kept_state || kept_state_damaged) return false;
  // Graphs of a large sharded workspace are never in memory together: its rows and its curvature have to be enough.
  if (files.sharded() && contents.tree.leaves() >= large_workspace) return true;
  return requests <= kFew && cold_removals < kFew;
}

Result<PreparedRemoval> Workspace::State::prepare_cold(const FindSlots& find, const PrepareUpdate& prepare_update) {
  if (uncertain) return require_writable().error();
  require_settled();
  UNSCATTER_TRY(slots, find());
  const std::size_t width = weight_rows(contents);
  SessionOptions how = session_options(contents.constants.options, options);
  const std::size_t graphs = contents.chain.last.graphs;
  const CurvatureShape shape = curvature_shape(contents);
  // A part serves one update.  A new anchor costs about as many passes over the rows as there are coordinates.  Where
  // these are few, or one matrix serves all classes and never wears out, it is made all the same, because the file
  // keeps it for processes to come.
  constexpr std::size_t kFewCoordinates = 128;
  const bool anchors = shape.one_for_all ? worth_keeping(shape, graphs * width * sizeof(double))
                                         : width <= kFewCoordinates && may_keep(shape);
  how.expected_updates = anchors ? 0 : 1;
  KeptState kept;
  if (slots.empty()) {
    // Nothing is touched.  This is a refusal, and no row has to be read for it.
    UNSCATTER_TRY(nothing, publisher());
    return prepare_update(*nothing);
  }
  if (may_keep(shape)) {
    UNSCATTER_TRY(curvature, read_curvature(database, shape, contents.tree.root()));
    kept.curvature = std::move(curvature);
    if (!kept.curvature && anchors && fast_rung_possible(how, graphs, width)) {
      UNSCATTER_TRY(streamed, curvature_of_rows(tables, contents.tree, graphs, contents.snapshot.weights, how));
      kept.curvature = std::move(streamed);
    }
  }
  // Without the rows of all graphs first, if there is something to step with.
  if (kept.curvature) {
    UNSCATTER_TRY(snapshot, read_part(tables, contents, slots));
    UNSCATTER_TRY(restored, Session::restore(std::move(snapshot), contents.embedder, how, make_random(options), kept));
    part = std::move(restored);
    Result<PreparedRemoval> update = prepare_update(*part);
    if (update.ok() || update.error().code != ErrorCode::kUnsupported) return update;
  }
  // With all rows, the same step needs one evaluation as a rule, and no inverse.
  part.reset();  // its learner may have rows of the crew
  kept.rows = rows_of_crew();
  if (!kept.rows) {
    UNSCATTER_TRY(rows, kept_rows());
    kept.rows = std::move(rows);
  }
  UNSCATTER_TRY(snapshot, read_part(tables, contents, slots));
  UNSCATTER_TRY(restored,
                Session::restore(std::move(snapshot), contents.embedder, how, make_random(options), std::move(kept)));
  UNSCATTER_CHECK_OK(check_weights(restored));
  part = std::move(restored);
  return prepare_update(*part);
}

std::optional<KeptState::Rows> Workspace::State::rows_of_crew() {
  const std::size_t slots = contents.tree.leaves();
  const std::size_t width = weight_rows(contents);
  // In dual form every number is about two rows, so rows stay in one place.  Sums are cut where leaves begin.
  if (options.crew == nullptr || !files.sharded() || cheaper_form(slots, width) != HessianForm::kPrimal ||
      tables.partition().slots_per_part % SlotPartition::kUnit != 0) {
    return std::nullopt;
  }
  ShardedRows kept;
  kept.folder = path;
  kept.workspace = contents.identity.id;
  kept.partition = tables.partition();
  kept.slots = slots;
  kept.graphs = contents.chain.last.graphs;
  kept.width = width;
  kept.classes = class_count(contents);
  kept.leaves = [this](std::size_t first, std::size_t last) {
    return contents.tree.stored_leaves(database, first, last);
  };
  kept.read_here = [&](std::size_t first, std::size_t last) -> Result<ReadRows> {
    UNSCATTER_TRY(leaves, contents.tree.stored_leaves(database, first, last));
    return read_rows_between(tables, {first, leaves, slots}, kept.width, kept.classes);
  };
  return options.crew->read_shards(kept, options.threads);
}

SessionSnapshot Workspace::State::model_in_memory_after(const PreparedRemoval& update) const {
  SessionSnapshot after = contents.snapshot;
  after.weights = update.weights();
  after.residuals = update.residuals();
  if (update.perturbation() != nullptr) after.perturbation = *update.perturbation();
  after.certificate = update.certificate();
  after.rungs = update.rungs();
  return after;
}

}  // namespace unscatter
