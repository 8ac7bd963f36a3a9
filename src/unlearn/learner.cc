#include "unlearn/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "unscatter/base/invariant.h"
#include "unscatter/base/wipe.h"
#include "unscatter/learn/train.h"
#include "unscatter/linalg/rounding.h"

namespace unscatter {

using Eigen::Index;

Learner::Learner(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes,
                 const SessionOptions& options, const Limit& limit)
    : rows_(std::move(rows)),
      labels_(std::move(labels)),
      classes_(classes),
      options_(options),
      limit_(limit),
      living_(rows_.rows()),
      newton_(cheaper_form(rows_.rows(), rows_.columns())),
      kept_(newton_.form()) {
  invariant(std::all_of(labels_.begin(), labels_.end(), [classes](std::uint32_t y) { return y < classes; }),
            "labels below K");
  newton_.keep_factors();
}

Result<Learner> Learner::create(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes,
                                const SessionOptions& options, RandomSource& noise) {
  UNSCATTER_TRY(limit, Limit::create(options, rows.columns() * classes, classes));
  Learner learner(std::move(rows), std::move(labels), classes, options, limit);
  UNSCATTER_TRY(fit, learner.retrain(learner.living_, noise));
  learner.fit_ = std::move(fit);
  learner.anchor(learner.objective(learner.living_, learner.perturbation()), learner.fit_.weights);
  return learner;
}

Result<Learner> Learner::restore(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes,
                                 std::size_t living, const SessionOptions& options, Fit fit) {
  UNSCATTER_TRY(limit, Limit::create(options, rows.columns() * classes, classes));
  const auto width = static_cast<Index>(rows.columns());
  const auto count = static_cast<Index>(classes);
  const auto fits = [&](const Matrix& matrix) {
    return matrix.rows() == width && matrix.cols() == count && matrix.allFinite();
  };
  if (!fits(fit.weights) || fit.residuals.size() != count || !fit.residuals.allFinite()) {
    return Error{ErrorCode::kMalformedInput, "weights and residuals do not fit the embedding"};
  }
  const bool perturbed = options.mechanism == Mechanism::kObjective;
  if (perturbed != fit.perturbation.has_value() || (perturbed && !fits(*fit.perturbation))) {
    return Error{ErrorCode::kMalformedInput, "the noise of the objective does not fit the mechanism and the embedding"};
  }
  Learner learner(std::move(rows), std::move(labels), classes, options, limit);
  learner.living_ = living;
  learner.fit_ = std::move(fit);
  learner.fit_.assessment = learner.assess(learner.objective(living, learner.perturbation()), learner.fit_);
  return learner;
}

EvaluatedResidual Learner::evaluate() const {
  const Objective present = objective(living_, perturbation());
  const Evaluation evaluation = present.evaluate(fit_.weights);
  const Vector norms = evaluation.gradient.colwise().norm().transpose();
  const double round_down = 1 - rounding_factor(static_cast<double>(present.width() + classes_) + 8);
  Fit evaluated;
  evaluated.weights = fit_.weights;
  accept_evaluation(present, evaluation, evaluated);
  return {(norms * round_down - evaluation.rounding).cwiseMax(0).norm() * round_down, evaluated.assessment.residual,
          evaluated.assessment.satisfied};
}

Objective Learner::objective(std::size_t living, const Matrix* perturbation) const {
  const double ridge = options_.regularisation * static_cast<double>(living);
  return {rows_, CheckedLabels{labels_}, classes_, options_.loss, ridge, perturbation, options_.threads};
}

Vector Learner::evaluated_residuals(const Objective& objective, const Evaluation& evaluation) {
  const double round_up = 1 + rounding_factor(static_cast<double>(objective.width()) + 4);
  return round_up * evaluation.gradient.colwise().norm().transpose() + evaluation.rounding;
}

Assessment Learner::assess(const Objective& objective, const Fit& fit) const {
  return limit_.assess(fit.residuals, objective.ridge(), fit.weights.norm());
}

void Learner::evaluate_exactly(const Objective& after, Fit& fit) const {
  accept_evaluation(after, after.evaluate(fit.weights), fit);
}

void Learner::accept_evaluation(const Objective& after, const Evaluation& evaluation, Fit& fit) const {
  fit.residuals = evaluated_residuals(after, evaluation);
  fit.binding = ResidualBound::kExact;
  fit.bounds.exact = joint_norm(fit.residuals);
  fit.assessment = assess(after, fit);
}

Result<Matrix> Learner::train_anew(const Objective& after) {
  const bool warm = options_.warm_retraining && options_.method != Method::kRetrain && fit_.weights.size() != 0;
  if (!warm) kept_.reset();
  TrainOptions training;
  training.optimizer = options_.optimizer;
  training.system = &newton_;
  training.kept = &kept_;
  training.progress = options_.progress;
  UNSCATTER_TRY(trained, warm ? train(after, fit_.weights, training) : train(after, training));
  return std::move(trained.weights);
}

Result<Fit> Learner::retrain(std::size_t living, RandomSource& noise) {
  Fit fit;
  if (options_.mechanism == Mechanism::kObjective) {
    fit.perturbation = Matrix::Zero(static_cast<Index>(rows_.columns()), static_cast<Index>(classes_));
    UNSCATTER_TRY(grid, GridNoise::create(options_.noise_stddev));
    UNSCATTER_CHECK_OK(
        grid.add_to({fit.perturbation->data(), static_cast<std::size_t>(fit.perturbation->size())}, noise));
  }
  const Objective after = objective(living, fit.perturbation ? &*fit.perturbation : nullptr);
  UNSCATTER_TRY(weights, train_anew(after));
  fit.weights = std::move(weights);
  evaluate_exactly(after, fit);
  if (!fit.assessment.satisfied) polish(after, fit);
  fit.rung = Rung::kRetrain;
  if (!fit.assessment.satisfied) {
    return Error{
        ErrorCode::kLimitExceeded,
        fmt::format(
            "even freshly trained weights may be {:.3g} from the optimum (residual {:.3g}), {:.3g} times what the "
            "guarantee allows: double precision shows no more; allow more noise, less precision, or regularise "
            "more",
            fit.assessment.distance, fit.assessment.residual, fit.assessment.usage)};
  }
  return fit;
}

Result<Fit> Learner::begin(std::vector<RowChange>& changes, RandomSource& noise) {
  std::size_t living = living_;
  for (RowChange& change : changes) {
    change.before = change.after;
    if (change.kind == ChangeKind::kRemoved) --living;
  }
  invariant(living > 0, "an update leaves at least one graph");
  for (RowChange& change : changes) rows_.swap_row(change.row, change.before);  // `before` now holds the old row
  try {
    for (const RowChange& change : changes) {
      newton_.refresh_row(rows_, change.row);
      if (square_) square_->replace_row(change.before, rows_.row(change.row));
    }
    Result<Fit> fit = climb(changes, living, noise);
    if (!fit.ok()) rollback(changes);
    return fit;
  } catch (...) {
    rollback(changes);
    throw;
  }
}

void Learner::commit(std::vector<RowChange>& changes, Fit&& fit) noexcept {
  for (RowChange& change : changes) {
    wipe(change.before.values);
    wipe(change.before.segments);
    if (change.kind == ChangeKind::kRemoved) {
      labels_[change.row] = 0;
      --living_;
    }
  }
  wipe(std::as_writable_bytes(std::span(fit_.weights.data(), static_cast<std::size_t>(fit_.weights.size()))));
  fit_ = std::move(fit);
}

void Learner::rollback(std::vector<RowChange>& changes) noexcept {
  for (RowChange& change : changes) rows_.swap_row(change.row, change.before);
  newton_.reset();
  kept_.reset();
  square_.reset();
  fast_.reset();
}

}  // namespace unscatter
