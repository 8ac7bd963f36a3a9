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
// Steps aim at this share of the limit, because the limit is compared with a norm plus its rounding envelope.
constexpr double kRoomForRounding = 0.5;
// They aim further below where fast steps may follow.  The bounds of fast steps add up from here, and fast steps end
// when the sum reaches the limit.
constexpr double kRoomForFastSteps = 0.1;
// The relative residual of the Newton system whose step a bound is charged for.  What the solve leaves over is charged
// too, so it has to be near rounding.
constexpr double kSolverPrecision = 1e-13;

// |gradient| of a class that steps aim at.  The limit is on all classes together, and each gets an equal part of its
// square.
double wanted_gradient(const Climb& climb, const Matrix& weights) {
  const bool fast_steps_may_follow =
      climb.curvature.has_fast() || (climb.may_anchor && climb.curvature.anchor_is_due());
  const double share = fast_steps_may_follow ? kRoomForFastSteps : kRoomForRounding;
  const std::size_t classes = climb.after.classes();
  return share * climb.limit.residual_limit(climb.after.ridge(), weights.norm(), classes) /
         std::sqrt(static_cast<double>(classes));
}

// Rungs fast and exact: the step V = A^-1 Delta with the anchored Hessian A of the present rows.
//
// Costs O(K d^2) whatever the number of graphs.  Proves that the residual grew by at most what the curvature may have
// drifted since the anchor, plus what the solve left over, plus rounding (fast_factor.h).  The bounds of several
// updates add up.  Where the sum is above the limit, the residual itself is evaluated by one pass over all rows.  That
// is the rung exact, and it starts the sum anew.  Where the residual is still above the limit, chord steps go on from
// here.
//
// False if there is no anchor to step with; the fit is then as it was.  `gradient` becomes the one at the new weights
// if it was evaluated.
bool take_fast_step(const Climb& climb, const GradientChange& change, Matrix& gradient, Fit& fit) {
  const FastFactor* factor = climb.curvature.fast(climb.after);
  if (factor == nullptr) return false;
  const Matrix steps = factor->solve(change.columns);
  const Vector growth =
      factor->growth_upper_bound(fit.weights, steps, change.columns, climb.after.ridge()) + change.rounding;
  // Rounded up: the bound is carried from update to update, and so would be its roundings.
  fit.residuals = (fit.residuals + growth) * (1 + 4 * kUnitRoundoff);
  fit.weights += steps;
  fit.assessment = assess(fit, climb.after, climb.limit);
  fit.rung = Rung::kFast;
  fit.binding = ResidualBound::kDrift;
  const bool served = fit.assessment.satisfied;
  // The schedule learns how far the bound was from serving, and so when the next anchor is worth its cost.
  climb.curvature.fast_step_taken(served, fit.assessment.usage);
  if (served || !climb.all_rows) return true;
  Evaluation evaluation = climb.after.evaluate(fit.weights);
  accept_evaluation(evaluation, climb.after, climb.limit, fit);
  gradient = std::move(evaluation.gradient);
  fit.rung = Rung::kExact;
  return true;
}

// Rung newton, with kept inverses: chord steps from where the fit stands, with a gradient of about `gradient`.
//
// Costs one pass over all rows and one product with an inverse per step (dual form: products with n x n matrices only).
// Now and then it costs new inverses.  Proves the residual at the end, which is evaluated.  Left when steps make no
// progress: the Hessian has moved too far, or curvatures change too much along a step.
//
// False if the steps did not arrive; the fit is then as it was.
bool take_chord_steps(const Climb& climb, const Matrix& gradient, Fit& fit) {
  Curvature& curvature = climb.curvature;
  const std::size_t builds = curvature.builds();
  if (!curvature.refresh_inverses(climb.after, fit.weights)) return false;
  const double wanted = wanted_gradient(climb, fit.weights);
  std::optional<Descent> descent = curvature.descend(climb.after, fit.weights, gradient, wanted);
  // Old inverses may lead nowhere: they have seen many edits, or they are left over from training.  New ones get a try,
  // unless they were new already.
  if (!descent && builds == curvature.builds() && curvature.refresh_inverses(climb.after, fit.weights)) {
    descent = curvature.descend(climb.after, fit.weights, gradient, wanted);
  }
  if (!descent) return false;
  fit.weights = std::move(descent->weights);
  fit.newton_steps += descent->steps;
  fit.rung = Rung::kNewton;
  accept_evaluation(descent->evaluation, climb.after, climb.limit, fit);
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

// Rung newton, to the end.  Costs an evaluation, and where that is not enough, a new factor per class and step.  Proves
// the evaluated residual.  Left only where double precision shows no smaller residual, or where no minimum is found.
void polish(const Climb& climb, Fit& fit) {
  accept_evaluation(climb.after.evaluate(fit.weights), climb.after, climb.limit, fit);
  fit.rung = Rung::kNewton;
  if (fit.assessment.satisfied) return;
  const double tolerance = wanted_gradient(climb, fit.weights);
  Result<TrainedWeights> polished =
      newton_descent(climb.after, fit.weights, tolerance, kMostPolishSteps, climb.curvature);
  // Not converging is no error here: the next rung stands ready.
  if (!polished.ok()) return;
  fit.weights = std::move(polished->weights);
  fit.newton_steps += *std::max_element(polished->iterations.begin(), polished->iterations.end());
  accept_evaluation(climb.after.evaluate(fit.weights), climb.after, climb.limit, fit);
}

Result<Fit> climb_ladder(const Climb& climb, const GradientChange& change, const Fit& present) {
  Fit fit;
  fit.weights = present.weights;
  fit.residuals = present.residuals;
  fit.perturbation = present.perturbation;
  // The gradient on the edited rows is u - Delta.  u is within the limit, so -Delta is near enough for a direction.
  Matrix gradient = -change.columns;

  // An anchor was made only where the fast rung can serve (Learner::fast_rung_possible).  Otherwise nothing happens
  // here.
  bool stepped = take_fast_step(climb, change, gradient, fit);
  if (!climb.all_rows) return fit;  // satisfied or not, there is no other rung
  const bool enough = stepped && fit.assessment.satisfied;
  if (!enough && judged_by_evaluation(climb.options)) {
    stepped = take_chord_steps(climb, gradient, fit) || stepped;
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
  return fit;
}

}  // namespace unscatter
