// What one Newton update is charged, by each of the bounds that need no evaluated residual.
#pragma once

#include <span>
#include <vector>

#include "unlearn/row_change.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// What a removed graph takes from the ridge, and an added one brings: lambda, or nothing where the ridge is a constant.
[[nodiscard]] double ridge_per_graph(const SessionOptions& options);

// Delta, one column per class: the gradient at `weights` before the changes less the one after, from the changed rows
// alone (plus ridge_per_graph w per removed graph, minus it per added graph).  `labels` are those of rows whose label
// stays.  `rounding` bounds, per class, how far a computed column may be off.
struct GradientChange {
  Matrix columns;
  Vector rounding;
};
[[nodiscard]] GradientChange gradient_change(std::span<const RowChange> changes, std::span<const std::uint32_t> labels,
                                             const Loss& loss, double ridge_per_graph, const Matrix& weights);

// One Newton update of all classes, seen from the objective on the edited data.
struct NewtonStep {
  Matrix curvatures;  // at the old weights
  Matrix steps;       // V
  Matrix products;    // Z' V
};

// Upper bounds on the residual after the update, one per class.  Each is the sum of the residual before, the Taylor
// remainder by the named bound, and what the linear solve and rounding left over ((8) of docs/theory.md).
struct ClassBounds {
  Vector worst;
  Vector data;
  Vector tight;
};
[[nodiscard]] ClassBounds charge_newton_step(const Objective& after, std::span<const RowChange> changes,
                                             const Matrix& weights, const GradientChange& change,
                                             const NewtonStep& step, const Vector& residuals_before, std::size_t graphs,
                                             double spectral_norm, const SessionOptions& options);

}  // namespace unscatter
