#include "unlearn/fit.h"

#include <utility>

#include "linalg/rounding.h"

namespace unscatter {

Vector evaluated_residuals(const Objective& objective, const Evaluation& evaluation) {
  // (1 + theta_{d+4}) |computed gradient| + E(w) (docs/theory.md, "A gradient").  The factor covers the rounding of the
  // norm itself.
  const double round_up = 1 + rounding_factor(static_cast<double>(objective.width()) + 4);
  return round_up * evaluation.gradient.colwise().norm().transpose() + evaluation.rounding;
}

Assessment assess(const Fit& fit, const Objective& objective, const Limit& limit) {
  // The ridge of the objective and not lambda n: the distance divides by the ridge that the gradient was computed with.
  return limit.assess(fit.residuals, objective.ridge(), fit.weights.norm());
}

void accept_evaluation(Evaluation evaluation, const Objective& objective, const Limit& limit, Fit& fit) {
  fit.residuals = evaluated_residuals(objective, evaluation);
  // An evaluation replaces whatever bounds had added up before, however large the sum was.
  fit.binding = ResidualBound::kExact;
  fit.bounds.exact = joint_norm(fit.residuals);
  fit.gradient = std::move(evaluation.gradient);
  fit.uncertainty = std::move(evaluation.rounding);
  fit.assessment = assess(fit, objective, limit);
}

}  // namespace unscatter
