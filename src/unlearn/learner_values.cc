#include "unlearn/learner_values.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace unscatter {
namespace {

void put(PlainWriter& writer, const RemovalGuarantee& guarantee) {
  writer.put(guarantee.epsilon);
  writer.put(guarantee.delta);
}

void get(PlainReader& reader, RemovalGuarantee& guarantee) {
  reader.get(guarantee.epsilon);
  reader.get(guarantee.delta);
}

Loss get_loss(PlainReader& reader) {
  LossKind kind{};
  reader.get_choice(kind, LossKind::kHuberSvm);
  const auto smoothing = reader.get<double>();
  if (kind == LossKind::kLogistic) return Loss::logistic();
  if (kind == LossKind::kSquared) return Loss::squared();
  Result<Loss> loss = Loss::huber_svm(smoothing);
  if (!loss.ok()) throw MalformedMessage("it has a loss that does not exist");
  return *loss;
}

Vector get_vector(PlainReader& reader) {
  const auto matrix = reader.get<Matrix>();
  if (matrix.cols() != 1) throw MalformedMessage("it has a matrix in the place of a vector");
  return matrix.col(0);
}

}  // namespace

void put(PlainWriter& writer, const SessionOptions& options) {
  writer.put(options.loss.kind());
  writer.put(options.loss.smoothing());
  writer.put(options.regularisation);
  writer.put(options.ridge);
  writer.put(options.bias);
  writer.put(options.optimizer);
  writer.put(options.classes);
  writer.put(static_cast<std::uint64_t>(options.constants.size()));
  for (const ConstantOrigin& origin : options.constants) {
    writer.put(origin.name);
    writer.put(origin.kind);
  }
  writer.put(options.mechanism);
  put(writer, options.guarantee);
  writer.put(options.protection);
  writer.put(options.per_subject);
  writer.put(options.noise_stddev);
  writer.put(options.releases);
  writer.put(options.distance_limit);
  writer.put(options.bound);
  writer.put(options.rule);
  writer.put(options.report_all_bounds);
  writer.put(options.row_norm);
  writer.put(options.retrain_when_exceeded);
  writer.put(options.warm_retraining);
  writer.put(options.fast_rung);
  writer.put(options.expected_updates);
  writer.put(options.embedding_guarantee.has_value());
  if (options.embedding_guarantee) put(writer, *options.embedding_guarantee);
  writer.put(static_cast<std::uint64_t>(options.earlier.size()));
  for (const EarlierCount& count : options.earlier) {
    writer.put(count.mechanism);
    writer.put(count.protection);
    put(writer, count.guarantee);
    writer.put(count.shift);
    writer.put(count.grid_delta);
    writer.put(count.releases);
    writer.put(count.published);
    writer.put(count.trained_again);
  }
  writer.put(options.removal);
  writer.put(options.method);
}

SessionOptions get_options(PlainReader& reader) {
  SessionOptions options;
  options.loss = get_loss(reader);
  reader.get(options.regularisation);
  reader.get(options.ridge);
  reader.get(options.bias);
  reader.get_choice(options.optimizer, Optimizer::kLbfgs);
  reader.get_choice(options.classes, ConstantKind::kOutside);
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    ConstantOrigin origin;
    reader.get(origin.name);
    reader.get_choice(origin.kind, ConstantKind::kOutside);
    options.constants.push_back(std::move(origin));
  }
  reader.get_choice(options.mechanism, Mechanism::kObjective);
  get(reader, options.guarantee);
  reader.get_choice(options.protection, Protection::kEveryone);
  reader.get(options.per_subject);
  reader.get(options.noise_stddev);
  reader.get(options.releases);
  reader.get(options.distance_limit);
  reader.get_choice(options.bound, ResidualBound::kDrift);
  reader.get_choice(options.rule, BudgetRule::kPaper);
  reader.get(options.report_all_bounds);
  reader.get(options.row_norm);
  reader.get(options.retrain_when_exceeded);
  reader.get(options.warm_retraining);
  reader.get(options.fast_rung);
  reader.get(options.expected_updates);
  if (reader.get<bool>()) {
    options.embedding_guarantee.emplace();
    get(reader, *options.embedding_guarantee);
  }
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    EarlierCount count;
    reader.get_choice(count.mechanism, Mechanism::kObjective);
    reader.get_choice(count.protection, Protection::kEveryone);
    get(reader, count.guarantee);
    reader.get(count.shift);
    reader.get(count.grid_delta);
    reader.get(count.releases);
    reader.get(count.published);
    reader.get(count.trained_again);
    options.earlier.push_back(count);
  }
  reader.get_choice(options.removal, NodeRemoval::kTombstone);
  reader.get_choice(options.method, Method::kRetrain);
  return options;
}

void put(PlainWriter& writer, const Fit& fit) {
  writer.put(fit.weights);
  writer.put(Matrix(fit.residuals));
  writer.put(fit.binding);
  writer.put(fit.gradient);
  writer.put(Matrix(fit.uncertainty));
  writer.put(fit.perturbation.has_value());
  if (fit.perturbation) writer.put(*fit.perturbation);
  for (const std::optional<double>& bound : {fit.bounds.worst, fit.bounds.data, fit.bounds.tight, fit.bounds.exact}) {
    writer.put(bound);
  }
  writer.put(fit.rung);
  writer.put(fit.newton_steps);
}

Fit get_fit(PlainReader& reader) {
  Fit fit;
  reader.get(fit.weights);
  fit.residuals = get_vector(reader);
  reader.get_choice(fit.binding, ResidualBound::kDrift);
  reader.get(fit.gradient);
  fit.uncertainty = get_vector(reader);
  if (reader.get<bool>()) fit.perturbation = reader.get<Matrix>();
  for (std::optional<double>* bound : {&fit.bounds.worst, &fit.bounds.data, &fit.bounds.tight, &fit.bounds.exact}) {
    reader.get(*bound);
  }
  reader.get_choice(fit.rung, Rung::kRetrain);
  reader.get(fit.newton_steps);
  return fit;
}

void put(PlainWriter& writer, const KeptCurvature& kept) {
  writer.put(kept.anchor);
  writer.put(static_cast<std::uint64_t>(kept.hessians.size()));
  for (const Matrix& hessian : kept.hessians) writer.put(hessian);
  writer.put(kept.square);
  for (const double number :
       {kept.ridge, kept.largest_ridge, kept.spectral_square, kept.frobenius_square, kept.row_norm, kept.roundings}) {
    writer.put(number);
  }
}

KeptCurvature get_curvature(PlainReader& reader) {
  KeptCurvature kept;
  reader.get(kept.anchor);
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) kept.hessians.push_back(reader.get<Matrix>());
  reader.get(kept.square);
  for (double* number : {&kept.ridge, &kept.largest_ridge, &kept.spectral_square, &kept.frobenius_square,
                         &kept.row_norm, &kept.roundings}) {
    reader.get(*number);
  }
  return kept;
}

void put(PlainWriter& writer, const std::vector<RowChange>& changes) {
  writer.put(static_cast<std::uint64_t>(changes.size()));
  for (const RowChange& change : changes) {
    writer.put(static_cast<std::uint64_t>(change.row));
    writer.put(change.kind);
    writer.put(change.label_after);
    writer.put(change.after);
  }
}

std::vector<RowChange> get_changes(PlainReader& reader) {
  std::vector<RowChange> changes;
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    RowChange change;
    change.row = reader.get<std::uint64_t>();
    reader.get_choice(change.kind, ChangeKind::kAdded);
    reader.get(change.label_after);
    reader.get(change.after);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace unscatter
