#include "unscatter/unlearn/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "unlearn/contribution.h"
#include "unlearn/learner_mirrors.h"
#include "unlearn/refit.h"
#include "unlearn/session_state.h"
#include "unlearn/train_together.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/progress.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"

namespace unscatter {
namespace {

// Differential privacy is about everything that is published.  A constant that follows the data is not covered by the
// noise on the weights (docs/theory.md, "Protecting everyone").
Status require_public_constants(const std::vector<ConstantOrigin>& constants) {
  for (const ConstantOrigin& origin : constants) {
    if (origin.kind != ConstantKind::kPrivateFit && origin.kind != ConstantKind::kFittedOnce) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("level everyone takes no constant from private data: {} has to be stated, or to come from "
                             "public data",
                             origin.name)};
  }
  return ok_status();
}

// The noise is derived where level everyone asks for it.
SessionOptions with_noise_of(SessionOptions options, const Limit& limit) {
  options.noise_stddev = limit.promise().noise_stddev;
  return options;
}

// Before anything is embedded: leaves every subject in as many graphs as the sensitivity counts on.
Status bound_memberships(GraphCollection& graphs, const SessionOptions& options, BoundedContributions& bounded) {
  if (options.per_subject == 0) {
    if (!graphs.has_subjects()) return ok_status();
    return Error{ErrorCode::kInvalidArgument,
                 "the data has external node ids, so a graph is not a subject of its own; say how many graphs one "
                 "subject may touch"};
  }
  const std::vector<RemovalRequest> beyond = graphs.memberships_beyond(options.per_subject);
  if (beyond.empty()) return ok_status();
  std::set<std::string> subjects;
  for (const RemovalRequest& request : beyond) {
    subjects.insert(std::get<std::string>(std::get<ForgetNode>(request).node));
  }
  const std::size_t graphs_before = graphs.living();
  UNSCATTER_TRY(plan, graphs.plan(beyond, options.removal, false));
  graphs.commit(plan);
  bounded.subjects = subjects.size();
  bounded.memberships = beyond.size();
  bounded.graphs_dropped = graphs_before - graphs.living();
  return ok_status();
}

}  // namespace

// Everything here was assessed before.  A certificate only says it, so it cannot say more than was shown.
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
      options(with_noise_of(session_options, trained.limit())),
      learner(std::move(trained)),
      noise(std::move(source)),
      scratch(embedder->make_scratch()),
      certificate(certify(learner.fit(), learner.limit(), graphs.living())) {
  std::size_t of_earlier_trainings = 0;
  for (const EarlierCount& count : options.earlier) of_earlier_trainings += count.trained_again ? count.published : 0;
  if (of_earlier_trainings > 0) models_before.push_back({graphs.all_slots(), of_earlier_trainings});
}

Result<std::vector<RowChange>> Session::State::embed(const RemovalPlan& plan) {
  std::vector<RowChange> rows;
  rows.reserve(plan.changes.size());
  // An update of many graphs takes long, and a report may end it by an exception.  Nothing has changed yet.
  Progress& progress = options.progress != nullptr ? *options.progress : no_progress();
  const auto end = [](Progress* begun) { begun->end(); };
  const std::unique_ptr<Progress, decltype(end)> stage(&progress, end);
  progress.begin("embedding", plan.changes.size());
  // Embedded from the edited graph alone.  With compact removal the row is, bit for bit, that of a session without the
  // removed parts (docs/theory.md, "Data and requests").
  for (const GraphChange& change : plan.changes) {
    RowChange row{row_of(change.slot), {}, {}, change.kind, change.label};
    if (change.graph) {
      UNSCATTER_CHECK_OK(embedder->embed(*change.graph, scratch, row.after));
      if (options.bias) row.after = with_bias(std::move(row.after), embedder->width());
      if (options.protection == Protection::kEveryone) shorten(row.after, row_norm_limit(options));
    }
    rows.push_back(std::move(row));
    progress.advance(1);
  }
  return rows;
}

void Session::State::require_settled() const {
  // A programming error and no request that is refused.  Rows and weights do not belong together now, and every number
  // made of both would be wrong.
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
  GraphCollection graphs(std::move(dataset));
  SessionOptions settled = options;
  settled.constants = all_origins(*embedder, options);
  const bool everyone = options.protection == Protection::kEveryone;
  if (everyone) UNSCATTER_CHECK_OK(require_public_constants(settled.constants));
  BoundedContributions bounded;
  if (everyone) UNSCATTER_CHECK_OK(bound_memberships(graphs, options, bounded));
  const std::vector<const Graph*> all = graphs_of(graphs);
  // A class that no graph has could only be known from somebody who is not here.
  if (options.classes == ConstantKind::kPrivateFit) {
    if (auto fit = fit_classes(graphs.class_names(), graphs.labels(), occupied(all))) {
      graphs.set_classes(std::move(fit->names), std::move(fit->labels));
    }
  }
  UNSCATTER_TRY(rows, embed_slots(all, *embedder, settled));
  if (everyone) bounded.rows_shortened = shorten(rows, row_norm_limit(options));
  UNSCATTER_TRY(learner, train_together(std::move(rows), graphs.labels(), graphs.class_names().size(), settled, *noise,
                                        graphs.living()));
  auto state =
      std::make_shared<State>(std::move(graphs), std::move(embedder), settled, std::move(learner), std::move(noise));
  state->bounded = bounded;
  return Session(std::move(state));
}

Result<Session> Session::restore(SessionSnapshot snapshot, std::shared_ptr<const Embedder> embedder,
                                 const SessionOptions& options, std::unique_ptr<RandomSource> noise, KeptState kept) {
  invariant(embedder != nullptr, "a session needs an embedder");
  UNSCATTER_CHECK_OK(check_options(options));
  if (noise == nullptr) noise = std::make_unique<SecureRandom>();
  // A snapshot may come from a file that somebody changed.  Its parts are checked against one another before anything
  // is computed.
  UNSCATTER_TRY(graphs, GraphCollection::restore(snapshot));
  UNSCATTER_CHECK_OK(check_fits(graphs, *embedder, options));
  SessionOptions settled = options;
  settled.constants = all_origins(*embedder, options);
  const bool everyone = options.protection == Protection::kEveryone;
  if (everyone) UNSCATTER_CHECK_OK(require_public_constants(settled.constants));
  const bool part = graphs.others() != nullptr;
  const bool all_rows = !part || kept.rows.has_value();
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
  if (kept.rows) {
    const std::size_t width = embedder->width() + (options.bias ? 1 : 0);
    if (kept.rows->rows.total_rows() != graphs.all_slots() || kept.rows->labels.size() != kept.rows->rows.rows() ||
        kept.rows->rows.columns() != width) {
      return Error{ErrorCode::kMalformedInput, "the kept rows do not fit the graphs"};
    }
    rows = std::move(kept.rows->rows);
    labels = std::move(kept.rows->labels);
  } else {
    // Rows of removed graphs stay without values, so that the other graphs keep their places.
    UNSCATTER_TRY(embedded, embed_slots(graphs_of(graphs), *embedder, settled));
    rows = std::move(embedded);
    labels = graphs.labels();
    if (everyone) shorten(rows, row_norm_limit(options));
  }
  Fit fit;
  fit.weights = std::move(snapshot.weights);
  fit.residuals = std::move(snapshot.residuals);
  fit.perturbation = std::move(snapshot.perturbation);
  fit.binding = snapshot.certificate.binding;
  fit.bounds = snapshot.certificate.bounds;
  fit.rung = snapshot.certificate.rung;
  fit.newton_steps = snapshot.certificate.newton_steps;
  UNSCATTER_TRY(learner, Learner::restore(std::move(rows), std::move(labels), graphs.class_names().size(),
                                          graphs.living(), settled, std::move(fit), all_rows));
  if (kept.curvature) learner.restore_curvature(*std::move(kept.curvature));
  auto state =
      std::make_shared<State>(std::move(graphs), std::move(embedder), settled, std::move(learner), std::move(noise));
  state->certificate = std::move(snapshot.certificate);
  state->certificate.promise = state->learner.limit().promise();  // follows from the options, whatever was kept of it
  state->rungs = snapshot.rungs;
  // The count of releases goes on.  A session that began at zero again would publish more than the guarantee covers.
  state->releases = snapshot.releases;
  if (!snapshot.models_before.empty()) state->models_before = std::move(snapshot.models_before);
  state->all_rows_by_place = part && all_rows;
  return Session(std::move(state));
}

Result<Session> Session::create_part(std::string name, std::vector<std::string> class_names, KeptState::Rows embedded,
                                     std::shared_ptr<const Embedder> embedder, const SessionOptions& options,
                                     std::unique_ptr<RandomSource> noise) {
  invariant(embedder != nullptr, "a session needs an embedder");
  UNSCATTER_CHECK_OK(check_options(options));
  const std::size_t graphs_in_all = embedded.rows.total_rows();
  if (graphs_in_all == 0) return Error{ErrorCode::kInvalidArgument, "there is no graph to learn from"};
  invariant(embedded.labels.size() == embedded.rows.rows(), "one label per row");
  invariant(embedded.rows.columns() == embedder->width() + (options.bias ? 1 : 0), "rows of this embedder");
  if (options.protection == Protection::kEveryone) {
    return Error{ErrorCode::kUnsupported, "level everyone bounds what a subject adds, which takes all graphs together"};
  }
  if (noise == nullptr) noise = std::make_unique<SecureRandom>();
  SessionOptions settled = options;
  settled.constants = all_origins(*embedder, options);
  if (options.classes == ConstantKind::kPrivateFit) {
    const std::vector<bool> occur = classes_of_all(embedded, class_names.size());
    if (std::find(occur.begin(), occur.end(), false) != occur.end()) {
      const ClassPlaces places = places_of(class_names, occur);
      class_names = places.names;
      relabel_all(embedded, places.places);
    }
  }
  SessionSnapshot nothing;
  nothing.name = std::move(name);
  nothing.class_names = std::move(class_names);
  nothing.others = OtherSlots{{}, graphs_in_all, graphs_in_all, {}};
  UNSCATTER_TRY(graphs, GraphCollection::restore(nothing));
  const std::size_t classes = graphs.class_names().size();
  UNSCATTER_TRY(learner, train_together(std::move(embedded.rows), std::move(embedded.labels), classes, settled, *noise,
                                        graphs_in_all));
  auto state =
      std::make_shared<State>(std::move(graphs), std::move(embedder), settled, std::move(learner), std::move(noise));
  state->all_rows_by_place = true;
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
  snapshot.features = state_->embedder->blocks().front().features.describe();
  const Fit& fit = state_->learner.fit();
  snapshot.weights = fit.weights;
  snapshot.residuals = fit.residuals;
  snapshot.perturbation = fit.perturbation;
  snapshot.certificate = state_->certificate;
  snapshot.rungs = state_->rungs;
  snapshot.releases = state_->releases;
  snapshot.models_before = state_->models_before;
  return snapshot;
}

Result<PublishedModel> Session::release() {
  State& state = *state_;
  state.require_settled();
  const SessionOptions& options = state.options;
  const bool noisy = options.mechanism == Mechanism::kRelease;
  // Every release has a shift of at most the limit, whatever the data.  So counting them is all it takes
  // (docs/theory.md, Theorem 5).
  if (noisy && state.releases == options.releases) {
    return Error{
        ErrorCode::kLimitExceeded,
        fmt::format("{} models have been published, as many as the guarantee covers together; 'unscatter renew' begins "
                    "a new count, and the promises of both add up",
                    state.releases)};
  }
  // No residual, no rung, no certificate: they are functions of what was removed, without noise (docs/theory.md,
  // "Release").
  PublishedModel model;
  model.weights = state.learner.fit().weights;
  model.class_names = state.graphs.class_names();
  model.bias = options.bias;
  model.promise = state.certificate.promise;
  model.release_number = state.releases + 1;
  if (noisy) {
    // Fresh noise for every model.  Two models with the same noise would give the difference of their weights away.
    const std::size_t vectors = published_vectors(options, static_cast<std::size_t>(model.weights.cols()));
    const std::size_t count = static_cast<std::size_t>(model.weights.rows()) * vectors;
    UNSCATTER_CHECK_OK(state.learner.limit().grid()->add_to({model.weights.data(), count}, *state.noise));
    // One of two mirrored vectors is enough (docs/theory.md, "Protecting everyone").  The other one follows from it.
    if (vectors < static_cast<std::size_t>(model.weights.cols())) model.weights.col(1) = -model.weights.col(0);
  }
  // Counted last: a model that could not be made was not seen by anybody.
  ++state.releases;
  return model;
}

const std::shared_ptr<const Embedder>& Session::embedder() const { return state_->embedder; }
bool Session::update_is_prepared() const { return state_->update_is_prepared; }
const Certificate& Session::certificate() const { return state_->certificate; }
const RungCounts& Session::rungs() const { return state_->rungs; }
const SessionOptions& Session::options() const { return state_->options; }
std::size_t Session::updates() const { return state_->rungs.total(); }
std::size_t Session::releases() const { return state_->releases; }
EvaluatedResidual Session::evaluate() const {
  state_->require_settled();
  return state_->learner.evaluate();
}
const BoundedContributions& Session::bounded_contributions() const { return state_->bounded; }
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
std::string_view Session::graph_id(std::size_t slot) const { return state_->graphs.graph_id(slot); }
std::optional<KeptCurvature> Session::curvature() const {
  state_->require_settled();
  return state_->learner.curvature_to_keep(state_->learner.fit());
}
const Matrix* Session::perturbation() const { return state_->learner.perturbation(); }
Dataset Session::remaining() const { return state_->graphs.remaining(); }

}  // namespace unscatter
