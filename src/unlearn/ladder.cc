// The ladder of a Learner: how an update becomes small enough (docs/theory.md, "The ladder").
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "unlearn/learner.h"
#include "unscatter/learn/train.h"
#include "unscatter/linalg/norms.h"
#include "unscatter/linalg/rounding.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

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

}  // namespace

double Learner::wanted_gradient(const Objective& after, const Matrix& weights) const {
  const double share = fast_ || anchor_is_due() ? kRoomForFastSteps : kRoomForRounding;
  return share * limit_.residual_limit(after.ridge(), weights.norm(), classes_) /
         std::sqrt(static_cast<double>(classes_));
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
  return options_.fast_rung && options_.method != Method::kRetrain && evaluates_residual() &&
         living_ >= rows_.columns();
}

bool Learner::anchor_is_due() const { return fast_rung_possible() && anchor_waited_ >= anchor_pause_; }

void Learner::anchor(const Objective& after, const Matrix& weights) {
  fast_.reset();
  if (!anchor_is_due()) {
    ++anchor_waited_;
    return;
  }
  anchor_waited_ = 0;
  fast_ = FastFactor::anchor(after, weights);
  fast_is_fresh_ = true;
}

// Rungs (i) and (ii).  False if there is no factor to step with; fit is then as it was.  `gradient` becomes the one at
// the new weights if it was evaluated.
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
  const double claimed = fit.assessment.usage;
  if (!fit.assessment.satisfied) {
    Evaluation evaluation = after.evaluate(fit.weights);
    accept_evaluation(after, evaluation, fit);
    gradient = std::move(evaluation.gradient);
    fit.rung = Rung::kExact;
  }
  // An anchor whose bound did not even serve once was not worth its cost, since kept inverses step as well and need not
  // be built as often: wait twice as long before the next one, and the longer the further its bound was from what is
  // needed.
  if (fit.rung == Rung::kFast) {
    anchor_pause_ = 0;
  } else if (was_fresh) {
    const double longer = std::max(2 * static_cast<double>(anchor_pause_) + 1, claimed);
    anchor_pause_ = static_cast<std::size_t>(std::min(longer, kLongestAnchorPause));
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
    const ClassBounds bounds = charge_newton_step(after, changes, fit.weights, change, step, fit.residuals, living,
                                                  spectral_norm(after), options_);
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
    if (options_.report_all_bounds)
      fit.bounds.exact = joint_norm(evaluated_residuals(after, after.evaluate(fit.weights)));
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

bool Learner::chord_steps(const Objective& after, std::span<const RowChange> changes, const Matrix& gradient,
                          Fit& fit) {
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

// Newton with line search on the objective itself, from where the fit stands, until the guarantee holds.  If that
// cannot be reached, fit.assessment says so.
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

}  // namespace unscatter
