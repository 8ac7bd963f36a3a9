#include "unlearn/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "unscatter/base/invariant.h"
#include "unscatter/base/wipe.h"
#include "unscatter/learn/train.h"
#include "unscatter/linalg/norms.h"
#include "unscatter/linalg/rounding.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Newton converges quadratically: one or two steps as a rule, and with its line search from anywhere in a dozen or two.
constexpr std::size_t kMostPolishSteps = 50;
// Polishing aims below the limit by this much, because the limit is compared with a norm plus its rounding envelope ...
constexpr double kRoomForRounding = 0.5;
// ... and further below where fast steps may follow, so that they have room.
constexpr double kRoomForFastSteps = 0.1;
// Newton updates between two anchors that serve nothing, at most.
constexpr double kLongestAnchorPause = 1024;
// Of the Newton step that a bound is charged for; what is left over is charged too.
constexpr double kSolverPrecision = 1e-13;

double joint_norm(const Vector& per_class) {
  if (!per_class.allFinite()) return std::numeric_limits<double>::infinity();  // stableNorm() can lose a NaN
  return per_class.stableNorm() * (1 + rounding_factor(static_cast<double>(per_class.size()) + 4));
}

}  // namespace

Learner::Learner(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes, const SessionOptions& options,
                 const Limit& limit)
    : rows_(std::move(rows)),
      labels_(std::move(labels)),
      classes_(classes),
      options_(options),
      limit_(limit),
      living_(rows_.rows()),
      newton_(cheaper_form(rows_.rows(), rows_.columns())),
      kept_(newton_.form()) {
  invariant(std::all_of(labels_.begin(), labels_.end(), [classes](std::uint32_t y) { return y < classes; }), "labels below K");
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

double Learner::wanted_gradient(const Objective& after, const Matrix& weights) const {
  const bool fast_steps_follow = fast_ || (fast_rung_possible() && anchor_waited_ >= anchor_pause_);
  const double share = fast_steps_follow ? kRoomForFastSteps : kRoomForRounding;
  return share * limit_.residual_limit(after.ridge(), weights.norm(), classes_) / std::sqrt(static_cast<double>(classes_));
}

double Learner::spectral_norm(const Objective& after) {
  if (newton_.form() == HessianForm::kDual) {
    return spectral_norm_upper_bound_from_gram(newton_.gram(after), after.width());
  }
  // Now and then from scratch, though what the changes leave behind is accounted for.
  constexpr std::size_t kMostChanges = 1000;
  if (!square_ || square_->changes() > kMostChanges) square_.emplace(rows_);
  return square_->spectral_norm_upper_bound();
}

bool Learner::fast_rung_possible() const {
  return options_.fast_rung && options_.method != Method::kRetrain && evaluates_residual() && living_ >= rows_.columns();
}

void Learner::anchor(const Objective& after, const Matrix& weights) {
  fast_.reset();
  if (!fast_rung_possible()) return;
  if (anchor_waited_ < anchor_pause_) {
    ++anchor_waited_;
    return;
  }
  anchor_waited_ = 0;
  fast_ = FastFactor::anchor(after, weights);
  fast_is_fresh_ = true;
}

// Rungs (i) and (ii).  False if there is no factor to step with; fit is then as it was.  `gradient` becomes the one at the new
// weights if it was evaluated.
bool Learner::fast_step(const Objective& after, std::span<const RowChange> changes, const GradientChange& change,
                        Matrix& gradient, Fit& fit) {
  if (!fast_) return false;
  for (const RowChange& row : changes) {
    if (!fast_->replace_row(row.before, row.after, labels_[row.row])) {
      fast_.reset();
      return false;
    }
  }
  const bool was_fresh = std::exchange(fast_is_fresh_, false);
  const Matrix steps = fast_->solve(change.columns);
  const Vector growth = fast_->growth_upper_bound(fit.weights, steps, change.columns, after.ridge()) + change.rounding;
  fit.residuals = (fit.residuals + growth) * (1 + 4 * kUnitRoundoff);
  fit.weights += steps;
  fit.assessment = assess(after, fit);
  fit.rung = Rung::kFast;
  fit.binding = ResidualBound::kDrift;
  const double claimed = fit.assessment.headroom;
  if (!fit.assessment.satisfied) {
    Evaluation evaluation = after.evaluate(fit.weights);
    accept_evaluation(after, evaluation, fit);
    gradient = std::move(evaluation.gradient);
    fit.rung = Rung::kExact;
  }
  // An anchor that did not even serve once was not worth its cost: wait twice as long before the next one, and the longer the
  // further its bound was from what is needed.
  if (fit.assessment.satisfied) {
    anchor_pause_ = 0;
  } else if (was_fresh) {
    const auto far_off = static_cast<std::size_t>(std::min(claimed, kLongestAnchorPause));
    anchor_pause_ = std::min(std::max(2 * anchor_pause_ + 1, far_off), static_cast<std::size_t>(kLongestAnchorPause));
  }
  return true;
}

// The update of the paper [Pan23, Eq. 4]: w' = w + H^-1 Delta, charged by the binding bound.
Status Learner::newton_step(const Objective& after, std::span<const RowChange> changes, const GradientChange& change,
                            std::size_t living, Fit& fit) {
  NewtonStep step;
  step.curvatures = after.curvatures(after.margins(fit.weights));
  std::optional<Matrix> solved;
  // After chord steps that led nowhere there is nothing kept, and no reason to build it again.
  if (!evaluates_residual() && refresh_kept(after, changes, fit.weights)) {
    std::vector<std::size_t> all(classes_);
    std::iota(all.begin(), all.end(), std::size_t{0});
    solved = kept_.solve(after, newton_.gram(after), all, step.curvatures, change.columns, kSolverPrecision);
  }
  if (!solved) {
    UNSCATTER_TRY(steps, newton_.solve(after, step.curvatures, change.columns));
    solved = std::move(steps);
  }
  step.steps = *std::move(solved);
  fit.rung = Rung::kNewton;
  ++fit.newton_steps;
  const bool exact = options_.bound == ResidualBound::kExact;
  if (!exact || options_.report_all_bounds) {
    step.products = product(rows_, step.steps, after.threads());
    const ClassBounds bounds =
        charge_newton_step(after, changes, fit.weights, change, step, fit.residuals, living, spectral_norm(after), options_);
    fit.bounds.worst = joint_norm(bounds.worst);
    fit.bounds.data = joint_norm(bounds.data);
    fit.bounds.tight = joint_norm(bounds.tight);
    fit.residuals = options_.bound == ResidualBound::kWorst  ? bounds.worst
                    : options_.bound == ResidualBound::kData ? bounds.data
                                                             : bounds.tight;
  }
  fit.binding = options_.bound;
  fit.weights += step.steps;
  if (exact) {
    evaluate_exactly(after, fit);
  } else {
    if (options_.report_all_bounds) fit.bounds.exact = joint_norm(evaluated_residuals(after, after.evaluate(fit.weights)));
    fit.assessment = assess(after, fit);
  }
  return ok_status();
}

bool Learner::refresh_kept(const Objective& after, std::span<const RowChange> changes, const Matrix& weights) {
  const Matrix& gram = newton_.gram(after);
  // Beyond this share of the rows, changing lines one by one costs as much as a new inverse.
  bool ready = kept_.ready() && 8 * changes.size() <= rows_.rows();
  for (const RowChange& row : changes) ready = ready && kept_.replace_row(after, gram, row.row, row.before, weights);
  return ready || kept_.build(after, gram, after.curvatures(after.margins(weights)));
}

bool Learner::chord_steps(const Objective& after, std::span<const RowChange> changes, const Matrix& gradient, Fit& fit) {
  const std::size_t builds = kept_.builds();
  if (!refresh_kept(after, changes, fit.weights)) return false;
  const Matrix& gram = newton_.gram(after);
  const double wanted = wanted_gradient(after, fit.weights);
  std::optional<Descent> descent = kept_.descend(after, gram, fit.weights, gradient, wanted);
  // Inverses that have seen many edits, or were left over from training, may lead nowhere where new ones do.
  if (!descent && builds == kept_.builds() && kept_.build(after, gram, after.curvatures(after.margins(fit.weights)))) {
    descent = kept_.descend(after, gram, fit.weights, gradient, wanted);
  }
  if (!descent) return false;
  fit.weights = std::move(descent->weights);
  fit.newton_steps += descent->steps;
  fit.rung = Rung::kNewton;
  accept_evaluation(after, descent->evaluation, fit);
  return true;
}

// Newton with line search on the objective itself, from where the fit stands, until the guarantee holds.  If that cannot be
// reached, fit.assessment says so.
void Learner::polish(const Objective& after, Fit& fit) {
  evaluate_exactly(after, fit);
  fit.rung = Rung::kNewton;
  if (fit.assessment.satisfied) return;
  const double tolerance = wanted_gradient(after, fit.weights);
  Result<TrainedWeights> polished = newton_descent(after, fit.weights, tolerance, kMostPolishSteps, newton_);
  // Not converging is no error here: the next rung stands ready.
  if (!polished.ok()) return;
  fit.weights = std::move(polished->weights);
  fit.newton_steps += *std::max_element(polished->iterations.begin(), polished->iterations.end());
  evaluate_exactly(after, fit);
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
    UNSCATTER_CHECK_OK(grid.add_to({fit.perturbation->data(), static_cast<std::size_t>(fit.perturbation->size())}, noise));
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
        fmt::format("even freshly trained weights may be {:.3g} from the optimum (residual {:.3g}), {:.3g} times what the "
                    "guarantee allows: double precision shows no more; allow more noise, less precision, or regularise "
                    "more",
                    fit.assessment.distance, fit.assessment.residual, fit.assessment.headroom)};
  }
  return fit;
}

Result<Fit> Learner::climb(std::span<const RowChange> changes, std::size_t living, RandomSource& noise) {
  if (options_.method == Method::kRetrain) return retrain(living, noise);
  const Objective after = objective(living, perturbation());
  const GradientChange change = gradient_change(changes, labels_, options_.loss, options_.regularisation, fit_.weights);
  Fit fit;
  fit.weights = fit_.weights;
  fit.residuals = fit_.residuals;
  fit.perturbation = fit_.perturbation;
  Matrix gradient = -change.columns;
  bool stepped = fast_step(after, changes, change, gradient, fit);
  if (evaluates_residual() && !(stepped && fit.assessment.satisfied)) {
    stepped = chord_steps(after, changes, gradient, fit) || stepped;
  } else if (stepped) {
    kept_.reset();  // they have not seen the changed rows
  }
  if (!stepped) UNSCATTER_CHECK_OK(newton_step(after, changes, change, living, fit));
  if (!fit.assessment.satisfied) {
    if (options_.retrain_when_exceeded) return retrain(living, noise);
    polish(after, fit);
  }
  if (!fit.assessment.satisfied) return retrain(living, noise);
  if (fit.rung == Rung::kNewton) anchor(after, fit.weights);
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
