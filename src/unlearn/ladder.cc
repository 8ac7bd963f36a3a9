#include "unlearn/ladder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "learn/train_with_curvature.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"

namespace unscatter {
namespace {

// Newton converges quadratically.  As a rule it takes one or two steps.  With its line search it arrives from anywhere
// in a dozen or two.
constexpr std::size_t kMostPolishSteps = 50;
// Steps aim at this share of the limit, which is computed to a few digits.
constexpr double kShareOfLimit = 0.95;
// Newton steps to the end stop by the computed gradient alone, so they leave room for its rounding.
constexpr double kEachOfPolish = 0.5;
// They aim further below where fast steps may follow.  The bounds of fast steps add up from here, and fast steps end
// when the sum reaches the limit.
constexpr double kRoomForFastSteps = 0.5;
// Classes that are not evaluated keep bounds of up to this share of the limit, together.  The rest is for those that
// are.
constexpr double kShareOfBounds = 0.85;
// The same where fast steps may follow: their bounds need the room.
constexpr double kShareOfBoundsBeforeFastSteps = 0.3;
// Fast steps may follow an update whose own bound is at most so many times the limit.  Updates differ by far more.
constexpr double kGrowthBeforeFastSteps = 1.5;
// A fast step may leave this share of the limit over from steps before it, where taking it away costs more than the
// step.
constexpr double kShareLeftOver = 0.25;
// The relative residual of the Newton system whose step a bound is charged for.  What the solve leaves over is charged
// too, so it has to be near rounding.
constexpr double kSolverPrecision = 1e-13;

// The joint |gradient| that steps aim at.
double wanted_gradient(const Climb& climb, const Matrix& weights) {
  const bool fast_steps_may_follow =
      climb.curvature.has_fast() || (climb.may_anchor && climb.curvature.anchor_is_due());
  const double share = fast_steps_may_follow ? kRoomForFastSteps : kShareOfLimit;
  return share * climb.limit.residual_limit(climb.after.ridge(), weights.norm(), climb.after.classes());
}

Matrix chosen_columns(const Matrix& all, const std::vector<std::size_t>& classes) {
  Matrix some(all.rows(), static_cast<Eigen::Index>(classes.size()));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    some.col(static_cast<Eigen::Index>(c)) = all.col(static_cast<Eigen::Index>(classes[c]));
  }
  return some;
}

// Takes the evaluation of some classes over.  Exact is the binding bound only if these are all classes: the others keep
// the bounds that have added up.
void accept_some(const Climb& climb, const Evaluation& found, const std::vector<std::size_t>& classes, Fit& fit) {
  const Vector residuals = evaluated_residuals(climb.after, found);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto k = static_cast<Eigen::Index>(classes[c]);
    const auto column = static_cast<Eigen::Index>(c);
    fit.residuals(k) = residuals(column);
    fit.gradient.col(k) = found.gradient.col(column);
    fit.uncertainty(k) = found.rounding(column);
  }
  if (classes.size() == climb.after.classes()) {
    fit.binding = ResidualBound::kExact;
    fit.bounds.exact = joint_norm(fit.residuals);
  }
  fit.assessment = assess(fit, climb.after, climb.limit);
}

// w <- w + v for the chosen classes, where v = -A^-1 g and g is what is known of their gradient.  The growth is charged
// by (12).  The gradient at the new weights is the defect of the step, up to what (12) adds to the uncertainty
// (docs/theory.md, "What is known of a gradient").
void accept_step(const Climb& climb, const std::vector<std::size_t>& classes, const Matrix& steps,
                 const FastFactor::Growth& growth, Fit& fit) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto k = static_cast<Eigen::Index>(classes[c]);
    const auto column = static_cast<Eigen::Index>(c);
    // Rounded up: the bound is carried from update to update, and so would be its roundings.
    const double round_up = 1 + 4 * kUnitRoundoff;
    fit.weights.col(k) += steps.col(column);
    fit.gradient.col(k) = growth.defect.col(column);
    fit.residuals(k) = (fit.uncertainty(k) + growth.upper_bound(column)) * round_up;
    fit.uncertainty(k) = (fit.uncertainty(k) + growth.beyond_defect(column)) * round_up;
  }
  fit.binding = ResidualBound::kDrift;
  fit.bounds.exact.reset();
  fit.assessment = assess(fit, climb.after, climb.limit);
}

// One more such step of the classes that are largest.
void correct_largest(const Climb& climb, const FastFactor& factor, Fit& fit) {
  const std::vector<std::size_t> open = DescentGoal{0, wanted_gradient(climb, fit.weights)}.open_classes(fit.residuals);
  const Matrix wanted = -chosen_columns(fit.gradient, open);
  const Matrix steps = factor.solve(wanted, open);
  accept_step(climb, open, steps,
              factor.growth(chosen_columns(fit.weights, open), steps, wanted, climb.after.ridge(), open), fit);
}

// The classes that are evaluated because the bounds of all together are above the limit: those with the largest bounds,
// as few as leave the others within a share of the limit.  The present update made the bounds grow by `grown`, all
// classes together.  If the next one will need an evaluation as well, then this one takes as few classes as it can.
std::vector<std::size_t> classes_to_evaluate(const Climb& climb, const Fit& fit, double grown) {
  const double limit = climb.limit.residual_limit(climb.after.ridge(), fit.weights.norm(), climb.after.classes());
  const bool fast_steps_may_follow = grown <= kGrowthBeforeFastSteps * limit;
  return largest_classes(fit.residuals,
                         (fast_steps_may_follow ? kShareOfBoundsBeforeFastSteps : kShareOfBounds) * limit);
}

// Rungs fast and exact: the step V = -A^-1 g with the anchored Hessian A of the present rows.
//
// Costs O(K d^2) whatever the number of graphs.  Proves that the residual grew by at most what the curvature may have
// drifted since the anchor, plus what the solve left over, plus rounding (fast_factor.h).  The bounds of several
// updates add up.  Where the sum is above the limit, the largest classes are evaluated by one pass over all rows.  That
// is the rung exact, and it starts their sums anew.  Where they are still too large, one more step corrects them: it is
// of second order, so that (12) is small and no second evaluation is needed.  Where that is not enough, chord steps go
// on from here.
//
// False if there is no anchor to step with; the fit is then as it was.
bool take_fast_step(const Climb& climb, Fit& fit) {
  FastFactor::Step step;
  const Matrix wanted = -fit.gradient;
  const double may_leave =
      kShareLeftOver * climb.limit.residual_limit(climb.after.ridge(), fit.weights.norm(), climb.after.classes());
  const FastFactor* factor = climb.curvature.fast(climb.after, wanted, fit.weights, step, may_leave);
  if (factor == nullptr) return false;
  std::vector<std::size_t> all(climb.after.classes());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const FastFactor::Growth growth = factor->growth(fit.weights, step, wanted, climb.after.ridge());
  accept_step(climb, all, step.columns, growth, fit);
  fit.rung = Rung::kFast;
  // The schedule learns how far the bound was from serving, and so when the next anchor is worth its cost.
  climb.curvature.fast_step_taken(fit.assessment.satisfied, fit.assessment.usage);
  if (fit.assessment.satisfied || !climb.all_rows) return true;
  const std::vector<std::size_t> open = classes_to_evaluate(climb, fit, growth.upper_bound.norm());
  const double limit = climb.limit.residual_limit(climb.after.ridge(), fit.weights.norm(), climb.after.classes());
  accept_some(climb,
              climb.curvature.evaluate_fast_step(climb.after, chosen_columns(fit.weights, open), step, open, limit),
              open, fit);
  climb.curvature.fast_step_evaluated(climb.after, open.size());
  fit.rung = Rung::kExact;
  if (!fit.assessment.satisfied) correct_largest(climb, *factor, fit);
  return true;
}

// Rung newton, by passes over the rows alone (learn/row_descent.h).
//
// Costs a dozen passes as a rule, and no matrix.  Proves the residual at the end, which is evaluated.  Taken where
// inverses would cost more: they are not there, and few updates are to come; or the update edits too many rows for
// them.
//
// False if inverses are cheaper, or if the steps did not arrive; the fit is then as it was.
bool take_row_steps(const Climb& climb, Fit& fit) {
  if (climb.curvature.cheapest_way(climb.after, climb.updates_left) != Curvature::Way::kRows) return false;
  const DescentGoal goal{0, wanted_gradient(climb, fit.weights)};
  std::optional<Descent> descent = climb.curvature.descend_by_rows(climb.after, fit.weights, fit.gradient, goal);
  if (!descent) return false;
  fit.weights = std::move(descent->weights);
  fit.newton_steps += descent->steps;
  fit.rung = Rung::kNewton;
  accept_evaluation(std::move(descent->evaluation), climb.after, climb.limit, fit);
  return true;
}

// Newton steps with new factors, as far as the guarantee asks for.  Their number; nothing if they did not arrive, and
// the weights are then as they were.
std::optional<std::size_t> step_by_factors(const Climb& climb, Fit& fit) {
  // Of every class: each gets an equal part of the square.
  const double tolerance =
      kEachOfPolish * wanted_gradient(climb, fit.weights) / std::sqrt(static_cast<double>(climb.after.classes()));
  Result<TrainedWeights> found = newton_descent(climb.after, fit.weights, tolerance, kMostPolishSteps, climb.curvature);
  // Not converging is no error here: another rung stands ready.
  if (!found.ok()) return std::nullopt;
  fit.weights = std::move(found->weights);
  return *std::max_element(found->iterations.begin(), found->iterations.end());
}

// Rung newton, with a new factor per class and step.
//
// Costs O(n d^2 + d^3) or O(n^3) a step, and two or three steps as a rule.  Proves the residual at the end, which is
// evaluated.  Taken where an update edits so many rows that inverses cannot follow: a factor costs an eighth of an
// inverse.
//
// False if another way is cheaper, or if the steps did not arrive; the fit is then as it was.
bool take_factor_steps(const Climb& climb, Fit& fit) {
  if (climb.curvature.cheapest_way(climb.after, climb.updates_left) != Curvature::Way::kFactors) return false;
  const std::optional<std::size_t> steps = step_by_factors(climb, fit);
  if (!steps) return false;
  fit.newton_steps += *steps;
  fit.rung = Rung::kNewton;
  accept_evaluation(climb.after.evaluate(fit.weights), climb.after, climb.limit, fit);
  return true;
}

// Rung newton, with kept inverses: chord steps from where the fit stands.
//
// Costs one pass over all rows and one product with an inverse per step (dual form: products with n x n matrices only).
// Now and then it costs new inverses.  Proves the residual at the end, which is evaluated.  Left when steps make no
// progress: the Hessian has moved too far, or curvatures change too much along a step.
//
// False if the steps did not arrive; the fit is then as it was.
bool take_chord_steps(const Climb& climb, Fit& fit) {
  Curvature& curvature = climb.curvature;
  const std::size_t builds = curvature.builds();
  if (!curvature.refresh_inverses(climb.after, fit.weights)) return false;
  const DescentGoal goal{0, wanted_gradient(climb, fit.weights)};
  std::optional<Descent> descent = curvature.descend(climb.after, fit.weights, fit.gradient, goal);
  // Old inverses may lead nowhere: they have seen many edits, or they are left over from training.  New ones get a try,
  // unless they were new already.
  if (!descent && builds == curvature.builds() && curvature.refresh_inverses(climb.after, fit.weights)) {
    descent = curvature.descend(climb.after, fit.weights, fit.gradient, goal);
  }
  if (!descent) return false;
  fit.weights = std::move(descent->weights);
  fit.newton_steps += descent->steps;
  fit.rung = Rung::kNewton;
  accept_evaluation(std::move(descent->evaluation), climb.after, climb.limit, fit);
  return true;
}

// v = H^-1 Delta.  Kept inverses precondition the solve where the step is charged by a bound, because there every
// update needs one.
Result<Matrix> solve_newton_step(const Climb& climb, const Matrix& curvatures, const GradientChange& change,
                                 const Matrix& weights) {
  // An update that is judged by evaluation comes here after chord steps that led nowhere.  There are no inverses then,
  // and no reason to build them again.
  if (!judged_by_evaluation(climb.options) && climb.curvature.refresh_inverses(climb.after, weights)) {
    std::vector<std::size_t> all(climb.after.classes());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::optional<Matrix> solved =
        climb.curvature.solve_by_inverses(climb.after, all, curvatures, change.columns, kSolverPrecision);
    if (solved) return *std::move(solved);
  }
  return climb.curvature.solve(climb.after, curvatures, change.columns);
}

// Charges the step by the bounds that need no evaluation [Pan23, Thm. 4.3, 4.4, 4.7].
void charge_step(const Climb& climb, const GradientChange& change, const NewtonStep& step, Fit& fit) {
  const ClassBounds bounds =
      charge_newton_step(climb.after, climb.changes, fit.weights, change, step, fit.residuals, climb.graphs,
                         climb.curvature.spectral_norm_upper_bound(climb.after), climb.options);
  fit.bounds.worst = joint_norm(bounds.worst);
  fit.bounds.data = joint_norm(bounds.data);
  fit.bounds.tight = joint_norm(bounds.tight);
  fit.residuals = climb.options.bound == ResidualBound::kWorst  ? bounds.worst
                  : climb.options.bound == ResidualBound::kData ? bounds.data
                                                                : bounds.tight;
}

// Rung newton, as in the paper [Pan23, Eq. 4]: w' = w + H^-1 Delta, with the Hessian at the present weights.
//
// Costs a Hessian and its factor per class, O(n d^2 + d^3) or O(n^3), unless inverses or factors are near.  Proves the
// bound that was asked for: the evaluated residual, or one of the paper's, which needs |Z| as well.  Left when that
// bound is above the limit.
Status take_newton_step(const Climb& climb, const GradientChange& change, Fit& fit) {
  NewtonStep step;
  step.curvatures = climb.after.curvatures(climb.after.margins(fit.weights));
  UNSCATTER_TRY(steps, solve_newton_step(climb, step.curvatures, change, fit.weights));
  step.steps = std::move(steps);
  fit.rung = Rung::kNewton;
  ++fit.newton_steps;
  const bool exact = climb.options.bound == ResidualBound::kExact;
  if (!exact || climb.options.report_all_bounds) {
    step.products = product(climb.after.rows(), step.steps, climb.after.threads());
    charge_step(climb, change, step, fit);
  }
  fit.binding = climb.options.bound;
  fit.weights += step.steps;
  // A bound tells nothing about the gradient as a vector.
  fit.gradient.resize(0, 0);
  fit.uncertainty.resize(0);
  if (exact) {
    accept_evaluation(climb.after.evaluate(fit.weights), climb.after, climb.limit, fit);
    return ok_status();
  }
  if (climb.options.report_all_bounds) {
    // For the report only.  The bound that was asked for stays the binding one.
    fit.bounds.exact = joint_norm(evaluated_residuals(climb.after, climb.after.evaluate(fit.weights)));
  }
  fit.assessment = assess(fit, climb.after, climb.limit);
  return ok_status();
}

}  // namespace

bool judged_by_evaluation(const SessionOptions& options) {
  return options.bound == ResidualBound::kExact && !options.report_all_bounds;
}

bool fast_rung_possible(const SessionOptions& options, std::size_t living, std::size_t width) {
  return options.fast_rung && options.method != Method::kRetrain && judged_by_evaluation(options) && living >= width;
}

// Rung newton, to the end.  Costs an evaluation, and where that is not enough, a new factor per class and step.  Proves
// the evaluated residual.  Left only where double precision shows no smaller residual, or where no minimum is found.
void polish(const Climb& climb, Fit& fit) {
  accept_evaluation(climb.after.evaluate(fit.weights), climb.after, climb.limit, fit);
  fit.rung = Rung::kNewton;
  if (fit.assessment.satisfied) return;
  const std::optional<std::size_t> steps = step_by_factors(climb, fit);
  if (!steps) return;
  fit.newton_steps += *steps;
  accept_evaluation(climb.after.evaluate(fit.weights), climb.after, climb.limit, fit);
}

namespace {

// The gradient at the present weights on the edited rows is u - Delta.
void know_edited_gradient(const Fit& present, const GradientChange& change, Fit& fit) {
  if (present.gradient.size() == 0) {
    // Only a bound on u is known.
    fit.gradient = -change.columns;
    fit.uncertainty = present.residuals + change.rounding;
  } else {
    fit.gradient = present.gradient - change.columns;
    fit.uncertainty = present.uncertainty + change.rounding;
  }
  // For the rounding of the two sums.
  const Vector sizes = fit.gradient.colwise().norm().transpose() + change.columns.colwise().norm().transpose();
  fit.uncertainty = (fit.uncertainty + 2 * kUnitRoundoff * sizes) * (1 + 4 * kUnitRoundoff);
}

}  // namespace

Result<Fit> climb_ladder(const Climb& climb, const GradientChange& change, const Fit& present) {
  Fit fit;
  fit.weights = present.weights;
  fit.residuals = present.residuals;
  fit.perturbation = present.perturbation;
  know_edited_gradient(present, change, fit);

  // An anchor was made only where the fast rung can serve (Learner::fast_rung_possible).  Otherwise nothing happens
  // here.
  bool stepped = take_fast_step(climb, fit);
  if (!climb.all_rows) return fit;  // satisfied or not, there is no other rung
  const bool enough = stepped && fit.assessment.satisfied;
  if (!enough && judged_by_evaluation(climb.options)) {
    stepped = take_row_steps(climb, fit) || take_factor_steps(climb, fit) || take_chord_steps(climb, fit) || stepped;
  }
  if (!stepped) UNSCATTER_CHECK_OK(take_newton_step(climb, change, fit));
  if (!fit.assessment.satisfied && !climb.options.retrain_when_exceeded) polish(climb, fit);

  // Newton steps have moved the weights away from the anchor, if there is one, and the residual is small here.  So this
  // is the best place for a new anchor.
  if (fit.assessment.satisfied && fit.rung == Rung::kNewton) {
    if (climb.may_anchor) {
      climb.curvature.anchor(climb.after, fit.weights);
    } else {
      climb.curvature.drop_anchor();
    }
  }
  if (fit.assessment.satisfied && fit.rung == Rung::kExact && climb.may_anchor) {
    climb.curvature.renew_worn_anchor(climb.after, fit.weights);
  }
  return fit;
}

}  // namespace unscatter
