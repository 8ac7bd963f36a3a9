#include "unscatter/unlearn/session.h"

#include <fmt/format.h>

#include <utility>

#include "unlearn/session_state.h"
#include "unscatter/base/invariant.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"

namespace unscatter {
namespace {

// One row per slot; those of graphs that went stay without values.
Result<SparseBlockRows> embed_living(const GraphCollection& graphs, const Embedder& embedder,
                                     const SessionOptions& options) {
  std::vector<const Graph*> all(graphs.slots());
  for (std::size_t slot = 0; slot < all.size(); ++slot) all[slot] = graphs.graph(slot);
  UNSCATTER_TRY(rows, embedder.embed(all, {options.threads, options.progress}));
  if (!options.bias) return rows;
  SparseBlockRows wider(rows.rows(), rows.columns() + 1);
  for (std::size_t slot = 0; slot < all.size(); ++slot) {
    if (all[slot] == nullptr) continue;
    BlockRow row;
    rows.swap_row(slot, row);
    wider.set_row(slot, with_bias(std::move(row), rows.columns()));
  }
  return wider;
}

}  // namespace

Certificate certify(const Fit& fit, const Limit& limit, std::size_t graphs) {
  Certificate certificate;
  certificate.satisfied = fit.assessment.satisfied;
  certificate.promise = limit.promise();
  certificate.graphs = graphs;
  certificate.binding = fit.binding;
  certificate.residual_upper_bound = fit.assessment.residual;
  certificate.distance_upper_bound = fit.assessment.distance;
  certificate.shift_upper_bound = fit.assessment.shift;
  certificate.bounds = fit.bounds;
  certificate.rung = fit.rung;
  certificate.newton_steps = fit.newton_steps;
  return certificate;
}

Session::State::State(GraphCollection all_graphs, std::shared_ptr<const Embedder> graph_embedder,
                      const SessionOptions& session_options, Learner trained, std::unique_ptr<RandomSource> source)
    : graphs(std::move(all_graphs)),
      embedder(std::move(graph_embedder)),
      options(session_options),
      learner(std::move(trained)),
      noise(std::move(source)),
      scratch(embedder->make_scratch()),
      certificate(certify(learner.fit(), learner.limit(), graphs.living())) {}

Result<std::vector<RowChange>> Session::State::embed(const RemovalPlan& plan) {
  std::vector<RowChange> rows;
  rows.reserve(plan.changes.size());
  for (const GraphChange& change : plan.changes) {
    RowChange row{change.slot, {}, {}, change.kind};
    if (change.graph) {
      UNSCATTER_CHECK_OK(embedder->embed(*change.graph, scratch, row.after));
      if (options.bias) row.after = with_bias(std::move(row.after), embedder->width());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void Session::State::require_settled() const {
  invariant(!update_is_prepared, "an update is prepared; commit or drop it first");
}

Session::Session(std::shared_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::create(Dataset dataset, std::shared_ptr<const Embedder> embedder,
                                const SessionOptions& options, std::unique_ptr<RandomSource> noise) {
  invariant(embedder != nullptr, "a session needs an embedder");
  UNSCATTER_CHECK_OK(check_options(options));
  if (dataset.graphs.empty()) return Error{ErrorCode::kInvalidArgument, "there is no graph to learn from"};
  if (noise == nullptr) noise = std::make_unique<SecureRandom>();
  UNSCATTER_TRY(rows, embedder->embed(dataset, {options.threads, options.progress}));
  if (options.bias) rows = with_bias(rows);
  GraphCollection graphs(std::move(dataset));
  UNSCATTER_TRY(learner,
                Learner::create(std::move(rows), graphs.labels(), graphs.class_names().size(), options, *noise));
  return Session(
      std::make_shared<State>(std::move(graphs), std::move(embedder), options, std::move(learner), std::move(noise)));
}

Result<Session> Session::restore(SessionSnapshot snapshot, std::shared_ptr<const Embedder> embedder,
                                 const SessionOptions& options, std::unique_ptr<RandomSource> noise) {
  invariant(embedder != nullptr, "a session needs an embedder");
  UNSCATTER_CHECK_OK(check_options(options));
  if (noise == nullptr) noise = std::make_unique<SecureRandom>();
  UNSCATTER_TRY(graphs, GraphCollection::restore(snapshot));
  UNSCATTER_TRY(rows, embed_living(graphs, *embedder, options));
  Fit fit;
  fit.weights = std::move(snapshot.weights);
  fit.residuals = std::move(snapshot.residuals);
  fit.perturbation = std::move(snapshot.perturbation);
  fit.binding = snapshot.certificate.binding;
  fit.bounds = snapshot.certificate.bounds;
  fit.rung = snapshot.certificate.rung;
  fit.newton_steps = snapshot.certificate.newton_steps;
  UNSCATTER_TRY(learner, Learner::restore(std::move(rows), graphs.labels(), graphs.class_names().size(),
                                          graphs.living(), options, std::move(fit)));
  auto state =
      std::make_shared<State>(std::move(graphs), std::move(embedder), options, std::move(learner), std::move(noise));
  state->certificate = std::move(snapshot.certificate);
  state->certificate.promise = state->learner.limit().promise();  // follows from the options, whatever was kept of it
  state->rungs = snapshot.rungs;
  state->releases = snapshot.releases;
  return Session(std::move(state));
}

SessionSnapshot Session::snapshot() const {
  SessionSnapshot snapshot = snapshot_without_slots();
  snapshot.slots.reserve(slots());
  for (std::size_t slot = 0; slot < slots(); ++slot) snapshot.slots.push_back(slot_snapshot(slot));
  return snapshot;
}

SlotSnapshot Session::slot_snapshot(std::size_t slot) const { return state_->graphs.save(slot); }

SessionSnapshot Session::snapshot_without_slots() const {
  SessionSnapshot snapshot;
  snapshot.name = state_->graphs.name();
  snapshot.class_names = state_->graphs.class_names();
  const Fit& fit = state_->learner.fit();
  snapshot.weights = fit.weights;
  snapshot.residuals = fit.residuals;
  snapshot.perturbation = fit.perturbation;
  snapshot.certificate = state_->certificate;
  snapshot.rungs = state_->rungs;
  snapshot.releases = state_->releases;
  return snapshot;
}

Result<PublishedModel> Session::release() {
  State& state = *state_;
  state.require_settled();
  const SessionOptions& options = state.options;
  const bool noisy = options.mechanism == Mechanism::kRelease;
  // Every release has a shift of at most the limit, whatever the data, so that counting them is all it takes.
  if (noisy && state.releases == options.releases) {
    return Error{
        ErrorCode::kLimitExceeded,
        fmt::format("{} models have been published, as many as the guarantee covers together", state.releases)};
  }
  PublishedModel model;
  model.weights = state.learner.fit().weights;
  model.class_names = state.graphs.class_names();
  model.bias = options.bias;
  model.promise = state.certificate.promise;
  model.release_number = state.releases + 1;
  if (noisy) {
    UNSCATTER_CHECK_OK(state.learner.limit().grid()->add_to(
        {model.weights.data(), static_cast<std::size_t>(model.weights.size())}, *state.noise));
  }
  ++state.releases;
  return model;
}

const Certificate& Session::certificate() const { return state_->certificate; }
const RungCounts& Session::rungs() const { return state_->rungs; }
const SessionOptions& Session::options() const { return state_->options; }
std::size_t Session::updates() const { return state_->rungs.total(); }
std::size_t Session::releases() const { return state_->releases; }
EvaluatedResidual Session::evaluate() const {
  state_->require_settled();
  return state_->learner.evaluate();
}
const Matrix& Session::weights() const { return state_->learner.fit().weights; }
std::size_t Session::classes() const { return state_->graphs.class_names().size(); }
const std::vector<std::string>& Session::class_names() const { return state_->graphs.class_names(); }
std::size_t Session::slots() const { return state_->graphs.slots(); }
std::size_t Session::graph_count() const { return state_->graphs.living(); }
bool Session::has_graph(std::size_t slot) const { return state_->graphs.graph(slot) != nullptr; }
const Graph* Session::graph(std::size_t slot) const { return state_->graphs.graph(slot); }
const SparseBlockRows& Session::embeddings() const {
  state_->require_settled();
  return state_->learner.rows();
}
std::span<const std::uint32_t> Session::labels() const { return state_->graphs.labels(); }
const Matrix* Session::perturbation() const { return state_->learner.perturbation(); }
Dataset Session::remaining() const { return state_->graphs.remaining(); }

}  // namespace unscatter
