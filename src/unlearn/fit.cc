#include "unlearn/fit.h"

#include "linalg/rounding.h"

namespace unscatter {

Vector evaluated_residuals(const Objective& objective, const Evaluation& evaluation) {
  const double round_up = 1 + rounding_factor(static_cast<double>(objective.width()) + 4);
  return round_up * evaluation.gradient.colwise().norm().transpose() + evaluation.rounding;
}

Assessment assess(const Fit& fit, const Objective& objective, const Limit& limit) {
  return limit.assess(fit.residuals, objective.ridge(), fit.weights.norm());
}

void accept_evaluation(const Evaluation& evaluation, const Objective& objective, const Limit& limit, Fit& fit) {
  fit.residuals = evaluated_residuals(objective, evaluation);
  fit.binding = ResidualBound::kExact;
  fit.bounds.exact = joint_norm(fit.residuals);
  fit.assessment = assess(fit, objective, limit);
}

}  // namespace unscatter
