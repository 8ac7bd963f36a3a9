// The outcome of training or of an update, not yet in force.
#pragma once

#include <cstddef>
#include <optional>

#include "unlearn/limit.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/certificate.h"

namespace unscatter {

struct Fit {
  Matrix weights;
  Vector residuals;                               // per class, an upper bound on |grad L_b|
  ResidualBound binding = ResidualBound::kExact;  // which bound `residuals` is
  // The gradient at the weights as it is known, and per class how far from the true one it may be; errs high.  Both are
  // empty if nothing but the residuals is known.
  Matrix gradient;
  Vector uncertainty;
  std::optional<Matrix> perturbation;  // fresh, after a training with the objective mechanism
  Assessment assessment;               // of the residuals
  ResidualBounds bounds;
  Rung rung = Rung::kRetrain;
  std::size_t newton_steps = 0;
};

// |gradient| of every class plus its rounding envelope.  This is what an evaluation proves.
[[nodiscard]] Vector evaluated_residuals(const Objective& objective, const Evaluation& evaluation);
// What the fit's residuals mean.
[[nodiscard]] Assessment assess(const Fit& fit, const Objective& objective, const Limit& limit);
// Makes the evaluated residuals at the fit's weights the binding ones, and assesses them.
void accept_evaluation(Evaluation evaluation, const Objective& objective, const Limit& limit, Fit& fit);

}  // namespace unscatter
