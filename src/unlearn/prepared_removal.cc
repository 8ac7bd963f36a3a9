// The two phases of an update.
#include "unscatter/unlearn/prepared_removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "unlearn/refit.h"
#include "unlearn/session_state.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

// Shares the session's state, so that it can roll back whatever became of the Session object.
struct PreparedRemoval::Update {
  Update(std::shared_ptr<Session::State> state, RemovalPlan removal_plan)
      : session(std::move(state)),
        plan(std::move(removal_plan)),
        graphs_removed(plan.graphs_removed()),
        graphs_added(plan.graphs_added()) {}
  Update(const Update&) = delete;
  Update& operator=(const Update&) = delete;
  ~Update() {
    // Nothing was begun, or commit() has taken the outcome.
    if (!begun()) return;
    session->graphs.drop_room();
    // A refit has a learner of its own, and the session's is as it was.
    if (fit) session->learner.rollback(rows, *std::move(fit));
    session->update_is_prepared = false;
  }

  [[nodiscard]] bool begun() const { return fit.has_value() || refit.has_value(); }

  [[nodiscard]] Status begin() {
    UNSCATTER_TRY(changed, refit_after(session->graphs, plan, session->embedder, session->options, *session->noise));
    if (changed) {
      refit = std::move(changed);
      session->update_is_prepared = true;
      return ok_status();
    }
    // Embedding may fail, so it comes first.  The session is still as it was.
    UNSCATTER_TRY(embedded, session->embed(plan));
    rows = std::move(embedded);
    UNSCATTER_TRY(found, session->learner.begin(rows, *session->noise));
    // From here on the learner holds the new rows, and the destructor puts the old ones back.
    fit = std::move(found);
    session->update_is_prepared = true;
    return ok_status();
  }

  // All that commit() needs memory for.  commit() runs when the removal is on disk already, and must not fail there.
  void describe() {
    // Graphs that go are counted out, because the certificate is about the state after the update.
    const Learner& learner = refit ? refit->learner : session->learner;
    certificate = certify(outcome(), learner.limit(), session->graphs.living() - graphs_removed + graphs_added);
    kept_certificate = certificate;
    exposure = exposure_of(session->learner.fit(), outcome());
    count_edits();
    rungs.count(outcome().rung);
    // The old one holds signals of the graphs that were embedded last.  They may be what goes now.
    scratch = (refit ? refit->embedder : session->embedder)->make_scratch();
    if (graphs_added > 0) {
      session->graphs.make_room(plan);
      models_before = session->models_before;
      const std::size_t since = models_since_data_came();
      if (since > 0) models_before.push_back({session->graphs.all_slots(), since});
    }
    list_changes();
  }

  void count_edits() {
    if (session->options.method == Method::kWholeGraph && plan.only_removes) {
      for (const GraphChange& change : plan.changes) edits_together.add(session->graphs.graph(change.slot), nullptr);
      return;
    }
    for (const EditCounts& one : plan.edits) {
      edits_together.nodes += one.nodes;
      edits_together.edges += one.edges;
      edits_together.features += one.features;
      edits_together.nodes_added += one.nodes_added;
      edits_together.edges_added += one.edges_added;
      edits_together.features_corrected += one.features_corrected;
      edits_together.labels_corrected += one.labels_corrected;
    }
    // Several requests may touch one graph, which counts once.
    edits_together.graphs_removed = graphs_removed;
    edits_together.graphs_added = graphs_added;
    edits_together.graphs_edited = plan.changes.size() - graphs_removed - graphs_added;
  }

  void list_changes() {
    const std::vector<std::uint32_t>& before = session->graphs.labels();
    const std::vector<std::uint32_t>& after = refit ? refit->classes.labels : before;
    const bool ids = session->graphs.has_graph_ids();
    changes.reserve(plan.changes.size());
    for (const GraphChange& change : plan.changes) {
      const std::size_t place = session->graphs.place(change.slot);
      if (!change.graph) {
        changes.push_back({place, nullptr, change.numbers, 0, nullptr});
        continue;
      }
      // A refit has numbered the classes anew, corrected ones included.
      const bool relabelled = change.label && !refit;
      const std::uint32_t label = relabelled ? *change.label : after[change.slot];
      const BlockRow& row = refit ? refit->learner.rows().row(change.slot)
                                  : session->learner.rows().row_of_all(session->row_of(change.slot));
      changes.push_back({place, &*change.graph, change.numbers, label, &row});
      if (change.kind != ChangeKind::kAdded) continue;
      changes.back().added = true;
      changes.back().number = change.number;
      if (ids) changes.back().graph_id = &change.graph_id;
    }
    if (!refit) return;
    const auto planned = static_cast<std::ptrdiff_t>(changes.size());
    auto change = plan.changes.begin();
    for (std::size_t slot = 0; slot < before.size(); ++slot) {
      while (change != plan.changes.end() && change->slot < slot) ++change;
      if ((change != plan.changes.end() && change->slot == slot) || before[slot] == after[slot]) continue;
      changes.push_back({slot, session->graphs.graph(slot), session->graphs.node_numbers(slot), after[slot],
                         &refit->learner.rows().row(slot)});
    }
    std::inplace_merge(changes.begin(), changes.begin() + planned, changes.end(),
                       [](const SlotChange& one, const SlotChange& other) { return one.slot < other.slot; });
  }

  void commit() noexcept {
    if (!begun()) return;
    changes.clear();  // views of what moves into the session
    session->certificate = std::move(kept_certificate);
    session->rungs = rungs;
    if (graphs_added > 0) session->models_before = std::move(models_before);
    // All of these overwrite what they replace: old rows and weights, then old graphs and their ids, then class names.
    if (refit) {
      session->learner.overwrite();
      session->learner = std::move(refit->learner);
      session->embedder = std::move(refit->embedder);
    } else {
      session->learner.commit(rows, *std::move(fit));
    }
    session->scratch = std::move(*scratch);
    session->graphs.commit(plan);
    if (refit) session->graphs.set_classes(std::move(refit->classes.names), std::move(refit->classes.labels));
    session->update_is_prepared = false;
    fit.reset();
    refit.reset();
  }

  // All counts of this training, but for models from before data was added: they share weights and noise.
  [[nodiscard]] std::size_t models_since_data_came() const {
    std::size_t others = 0;
    for (const ModelsBefore& before : session->models_before) others += before.models;
    const std::size_t all = session->releases + published_in(session->options.earlier);
    return all - std::min(all, others);
  }

  // The models that had learned from what changes: a model knows no graph that came after it.
  [[nodiscard]] Exposure models_that_know() const {
    Exposure found;
    if (plan.changes.empty()) return found;
    found.models = models_since_data_came();
    // Changes ascend by slot.
    const std::size_t first = session->graphs.place(plan.changes.front().slot);
    for (const ModelsBefore& before : session->models_before) {
      if (first < before.slots) found.older += before.models;
    }
    return found;
  }

  [[nodiscard]] Exposure exposure_of(const Fit& before, const Fit& after) const {
    // No model so far knows graphs that come.  What they are exposed to is the next one.
    Exposure found = graphs_added > 0 ? Exposure{0, 1} : models_that_know();
    if (found.models > 0) found.one = shift_of_one(before, after);
    found.shift = found.older > 0 ? std::numeric_limits<double>::infinity()
                                  : std::sqrt(static_cast<double>(found.models)) * found.one;
    return found;
  }

  [[nodiscard]] double shift_of_one(const Fit& before, const Fit& after) const {
    // Constants that follow the data have changed, and every model shows its constants.
    if (refit) return std::numeric_limits<double>::infinity();
    // The weights after the removal tell b = -grad L(w'; D'), and the weights before follow from b and the data.  A
    // training draws a fresh b, which would tell less.  It is counted as if it did not.
    if (session->options.mechanism == Mechanism::kObjective) return std::numeric_limits<double>::infinity();
    // Both weights are within their S of the optima that are compared.
    const double apart =
        (before.weights - after.weights).norm() + before.assessment.distance + after.assessment.distance;
    return apart / session->options.noise_stddev;
  }

  // The fit that will be in force, or the present one if there is nothing to do.
  [[nodiscard]] const Fit& outcome() const {
    if (refit) return refit->learner.fit();
    return fit ? *fit : session->learner.fit();
  }

  std::shared_ptr<Session::State> session;
  RemovalPlan plan;
  std::size_t graphs_removed;
  std::size_t graphs_added;
  std::vector<RowChange> rows;
  // At most one of the two.  None: there is nothing to commit or to roll back.
  std::optional<Fit> fit;
  std::optional<Refit> refit;
  std::optional<Embedder::Scratch> scratch;  // the session's next one
  Certificate certificate = session->certificate;
  Certificate kept_certificate;  // a copy for the session
  Exposure exposure;
  std::vector<ModelsBefore> models_before;  // the session's next ones, of an addition
  EditCounts edits_together;
  RungCounts rungs = session->rungs;
  std::vector<SlotChange> changes;
};

double best_guess(const Exposure& exposure) { return std::erfc(-exposure.shift / (2 * std::sqrt(2.0))) / 2; }

PreparedRemoval::PreparedRemoval(std::unique_ptr<Update> update) : update_(std::move(update)) {}
PreparedRemoval::PreparedRemoval(PreparedRemoval&&) noexcept = default;
PreparedRemoval& PreparedRemoval::operator=(PreparedRemoval&&) noexcept = default;
PreparedRemoval::~PreparedRemoval() = default;

void PreparedRemoval::commit() noexcept { update_->commit(); }
const std::vector<Error>& PreparedRemoval::refused() const { return update_->plan.refused; }
bool PreparedRemoval::empty() const { return requests().total() == 0; }
const Certificate& PreparedRemoval::certificate() const { return update_->certificate; }
const Exposure& PreparedRemoval::exposure() const { return update_->exposure; }
const RequestCounts& PreparedRemoval::requests() const { return update_->plan.requests; }
std::size_t PreparedRemoval::graphs_edited() const {
  return update_->plan.changes.size() - update_->graphs_removed - update_->graphs_added;
}
std::size_t PreparedRemoval::graphs_added() const { return update_->graphs_added; }
std::size_t PreparedRemoval::graphs_removed() const { return update_->graphs_removed; }
const std::vector<EditCounts>& PreparedRemoval::edits() const { return update_->plan.edits; }
const EditCounts& PreparedRemoval::edits_together() const { return update_->edits_together; }
std::span<const SlotChange> PreparedRemoval::changes() const { return update_->changes; }
const Matrix& PreparedRemoval::weights() const { return update_->outcome().weights; }
const Vector& PreparedRemoval::residuals() const { return update_->outcome().residuals; }
const Matrix* PreparedRemoval::perturbation() const {
  const std::optional<Matrix>& perturbation = update_->outcome().perturbation;
  return perturbation ? &*perturbation : nullptr;
}
const std::shared_ptr<const Embedder>& PreparedRemoval::embedder() const {
  return update_->refit ? update_->refit->embedder : update_->session->embedder;
}
const std::vector<std::string>& PreparedRemoval::class_names() const {
  return update_->refit ? update_->refit->classes.names : update_->session->graphs.class_names();
}
const RungCounts& PreparedRemoval::rungs() const { return update_->rungs; }
const SparseBlockRows* PreparedRemoval::all_rows() const {
  return update_->refit ? &update_->refit->learner.rows() : nullptr;
}
std::span<const std::uint32_t> PreparedRemoval::all_labels() const {
  return update_->refit ? std::span<const std::uint32_t>(update_->refit->classes.labels)
                        : std::span<const std::uint32_t>();
}
std::optional<KeptCurvature> PreparedRemoval::curvature() const {
  Learner& learner = update_->refit ? update_->refit->learner : update_->session->learner;
  return learner.curvature_to_keep(update_->outcome());
}

namespace {

// Level everyone proves that what is published hardly depends on one subject, for data that only gets less.  A subject
// that comes, or whose data is replaced, is not among its neighbours (docs/theory.md, "Additions and corrections").
Status require_level_removed(const SessionOptions& options, std::string_view what) {
  if (options.protection != Protection::kEveryone) return ok_status();
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("level everyone takes no {}: its proof covers data that only gets less; train again with all "
                  "data",
                  what)};
}

}  // namespace

Result<PreparedRemoval> PreparedRemoval::computed(std::unique_ptr<Update> update) {
  if (update->plan.requests.total() > 0) {
    UNSCATTER_CHECK_OK(update->begin());
    update->describe();
  }
  return PreparedRemoval(std::move(update));
}

Result<PreparedRemoval> Session::prepare_addition(Dataset graphs) {
  state_->require_settled();
  UNSCATTER_CHECK_OK(require_level_removed(state_->options, "new graphs"));
  UNSCATTER_TRY(plan, state_->graphs.plan_addition(std::move(graphs)));
  return PreparedRemoval::computed(std::make_unique<PreparedRemoval::Update>(state_, std::move(plan)));
}

Result<PreparedRemoval> Session::prepare_corrections(std::span<const Correction> corrections) {
  state_->require_settled();
  UNSCATTER_CHECK_OK(require_level_removed(state_->options, "corrections"));
  UNSCATTER_TRY(plan, state_->graphs.plan_corrections(corrections));
  return PreparedRemoval::computed(std::make_unique<PreparedRemoval::Update>(state_, std::move(plan)));
}

Result<PreparedRemoval> Session::prepare(std::span<const RemovalRequest> requests, OnRefusal on_refusal) {
  state_->require_settled();
  const SessionOptions& options = state_->options;
  const bool whole_graphs = options.method == Method::kWholeGraph;
  UNSCATTER_TRY(plan, state_->graphs.plan(requests, options.removal, whole_graphs, on_refusal));
  return PreparedRemoval::computed(std::make_unique<PreparedRemoval::Update>(state_, std::move(plan)));
}

namespace {

Result<Certificate> put_in_force(Result<PreparedRemoval> update, Exposure* exposure) {
  if (!update.ok()) return std::move(update).error();
  if (exposure != nullptr) *exposure = update->exposure();
  Certificate certificate = update->certificate();
  update->commit();
  return certificate;
}

}  // namespace

Result<Certificate> Session::add(Dataset graphs, Exposure* exposure) {
  return put_in_force(prepare_addition(std::move(graphs)), exposure);
}

Result<Certificate> Session::correct(std::span<const Correction> corrections, Exposure* exposure) {
  return put_in_force(prepare_corrections(corrections), exposure);
}

Result<Certificate> Session::forget(std::span<const RemovalRequest> requests, Exposure* exposure) {
  return put_in_force(prepare(requests), exposure);
}

Result<Certificate> Session::preview(std::span<const RemovalRequest> requests, Exposure* exposure) {
  // Dropped at the end of the scope, which puts everything back.
  UNSCATTER_TRY(removal, prepare(requests));
  if (exposure != nullptr) *exposure = removal.exposure();
  return removal.certificate();
}

}  // namespace unscatter
