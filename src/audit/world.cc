#include "audit/world.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "unlearn/contribution.h"
#include "unscatter/base/invariant.h"
#include "unscatter/learn/objective.h"
#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {
namespace {

// Trainings from which the mean residual is estimated.
constexpr int kPilotTrainings = 16;

std::unique_ptr<RandomSource> make_source(const NoiseSource& noise) { return noise ? noise() : nullptr; }

// The options of a copy that publishes `draws` models.  With more releases each one may be shifted by less.  So epsilon
// grows such that the limit on one release stays where it is.  Neither the noise nor its grid depends on these two.
std::optional<SessionOptions> options_for(const Session& session, std::size_t draws) {
  SessionOptions options = session.options();
  if (draws <= options.releases) return options;
  const double limit = session.certificate().promise.shift_limit;
  const auto epsilon = smallest_epsilon_upper_bound(limit * std::sqrt(static_cast<double>(draws)) * (1 + 1e-6),
                                                    options.guarantee.delta / 2);
  if (!epsilon.ok() || !std::isfinite(*epsilon)) return std::nullopt;
  options.guarantee.epsilon = std::max(options.guarantee.epsilon, *epsilon);
  options.releases = draws;
  return options;
}

// A copy that can publish `draws` models, or one that can publish as many as the session itself may.
Result<Session> publishing_copy(const Session& session, const std::shared_ptr<const Embedder>& embedder,
                                std::size_t draws, const NoiseSource& noise) {
  if (const std::optional<SessionOptions> wide = options_for(session, draws)) {
    auto copy = copy_of(session, embedder, *wide, noise);
    // What was changed must change nothing but the count.
    if (copy.ok() && copy->certificate().promise.noise_stddev == session.certificate().promise.noise_stddev) {
      return copy;
    }
  }
  return copy_of(session, embedder, session.options(), noise);
}

// -grad L(W) without the noise of the objective: what an observer who knows the data computes from W.
Matrix observed_noise(const Session& session, const Matrix& weights) {
  const SessionOptions& options = session.options();
  const Objective plain(session.embeddings(), session.labels(), session.classes(), options.loss,
                        ridge_of(options, session.graph_count()), nullptr, 1);
  return -plain.gradient(weights);
}

}  // namespace

Result<Session> copy_of(const Session& session, std::shared_ptr<const Embedder> embedder, const SessionOptions& options,
                        const NoiseSource& noise, const Matrix* weights) {
  SessionSnapshot snapshot = session.snapshot();
  snapshot.releases = 0;
  if (weights != nullptr) snapshot.weights = *weights;
  return Session::restore(std::move(snapshot), std::move(embedder), options, make_source(noise));
}

Matrix published_columns(const Session& session, const Matrix& weights) {
  return weights.leftCols(static_cast<Eigen::Index>(published_vectors(session.options(), session.classes())));
}

PublishingWorld::PublishingWorld(std::vector<Session> copies, std::shared_ptr<const Embedder> embedder,
                                 NoiseSource noise)
    : copies_(std::move(copies)), embedder_(std::move(embedder)), noise_(std::move(noise)) {
  const Matrix first = published_columns(copies_.front(), copies_.front().weights());
  const Eigen::Index columns = first.cols();
  centre_.resize(first.rows(), columns * static_cast<Eigen::Index>(copies_.size()));
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    centre_.middleCols(static_cast<Eigen::Index>(i) * columns, columns) =
        published_columns(copies_[i], copies_[i].weights());
  }
}

Result<std::unique_ptr<World>> PublishingWorld::create(const std::vector<const Session*>& sessions,
                                                       std::shared_ptr<const Embedder> embedder, std::size_t draws,
                                                       const NoiseSource& noise) {
  invariant(!sessions.empty(), "a world needs a session");
  std::vector<Session> copies;
  for (const Session* session : sessions) {
    UNSCATTER_TRY(copy, publishing_copy(*session, embedder, draws, noise));
    copies.push_back(std::move(copy));
  }
  return std::unique_ptr<World>(new PublishingWorld(std::move(copies), std::move(embedder), noise));
}

Result<Matrix> PublishingWorld::publish(Session& copy) {
  // Where the options could not be widened, the count runs out.  A new copy begins at zero again.
  if (copy.releases() == copy.options().releases) {
    UNSCATTER_TRY(next, copy_of(copy, embedder_, copy.options(), noise_));
    copy = std::move(next);
  }
  UNSCATTER_TRY(model, copy.release());
  return published_columns(copy, model.weights);
}

Result<Matrix> PublishingWorld::observe() {
  if (copies_.size() == 1) return publish(copies_.front());
  Matrix observed(centre_.rows(), centre_.cols());
  const Eigen::Index columns = centre_.cols() / static_cast<Eigen::Index>(copies_.size());
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    UNSCATTER_TRY(weights, publish(copies_[i]));
    observed.middleCols(static_cast<Eigen::Index>(i) * columns, columns) = weights;
  }
  return observed;
}

TrainingWorld::TrainingWorld(Dataset dataset, std::vector<RemovalRequest> requests,
                             std::shared_ptr<const Embedder> embedder, const SessionOptions& options, NoiseSource noise)
    : dataset_(std::move(dataset)),
      requests_(std::move(requests)),
      embedder_(std::move(embedder)),
      options_(options),
      noise_(std::move(noise)) {
  // Worlds are observed at the same time, each on its own thread.
  options_.threads = 1;
  options_.progress = nullptr;
}

Result<std::unique_ptr<World>> TrainingWorld::create(Dataset dataset, std::vector<RemovalRequest> requests,
                                                     std::shared_ptr<const Embedder> embedder,
                                                     const SessionOptions& options, const NoiseSource& noise) {
  std::unique_ptr<TrainingWorld> world(
      new TrainingWorld(std::move(dataset), std::move(requests), std::move(embedder), options, noise));
  // -u, in the mean.  It depends on the noise, so no single training has it.
  Matrix sum;
  for (int i = 0; i < kPilotTrainings; ++i) {
    UNSCATTER_TRY(session, world->train());
    const Matrix residual = observed_noise(session, session.weights()) - *session.perturbation();
    sum = i == 0 ? residual : Matrix(sum + residual);
  }
  world->centre_ = sum / kPilotTrainings;
  return std::unique_ptr<World>(std::move(world));
}

Result<Session> TrainingWorld::train() const {
  UNSCATTER_TRY(session, Session::create(dataset_, embedder_, options_, make_source(noise_)));
  for (const RemovalRequest& request : requests_) UNSCATTER_CHECK_OK(session.forget(request));
  return session;
}

Result<Matrix> TrainingWorld::observe() {
  UNSCATTER_TRY(session, train());
  UNSCATTER_TRY(model, session.release());
  return observed_noise(session, model.weights);
}

}  // namespace unscatter
