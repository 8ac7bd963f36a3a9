// The ladder: how an update becomes small enough, from the cheapest rung up (docs/theory.md, "The ladder").
//
//   rung      costs                     proves                               is left when
//   fast      O(K d^2)                  a bound on how the residual grew     its bound is above the limit
//   exact     one pass over all rows    the residual of the same step        the residual is above the limit
//   newton    a few passes, or a new    the residual at the end; with the    never, as a rule: it repeats steps
//             Hessian per class         paper's bounds, one of those         until the limit is met
//   retrain   a training                the residual of trained weights      never: if it fails, the update fails
#pragma once

#include <cstddef>
#include <span>

#include "learn/curvature.h"
#include "unlearn/charge.h"
#include "unlearn/fit.h"
#include "unlearn/limit.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// Where an update stands: the same for every rung.
struct Climb {
  const Objective& after;              // the objective on the edited rows
  std::span<const RowChange> changes;  // the rows that were edited
  const SessionOptions& options;
  const Limit& limit;
  Curvature& curvature;
  std::size_t graphs;        // that are left
  bool may_anchor;           // whether the fast rung can serve later updates
  std::size_t updates_left;  // that are to come, this one included; 0: many
  bool all_rows;             // false: `after` has the edited rows only, and nothing can be evaluated
};

// Whether an update is judged by its evaluated residual alone.  Any way to a small residual will then do.
[[nodiscard]] bool judged_by_evaluation(const SessionOptions& options);
// Whether an update of `living` graphs may take the fast rung.  It needs at least as many graphs as coordinates.  With
// fewer graphs the dual form is cheaper than any d x d matrix.
[[nodiscard]] bool fast_rung_possible(const SessionOptions& options, std::size_t living, std::size_t width);

// Climbs from the present fit up to the rung newton.  The present fit is that of the rows before the edits, and
// `change` is Delta at its weights.  Where the assessment of the result is not satisfied, only retraining is left.
// Errors: those of factorisations.
[[nodiscard]] Result<Fit> climb_ladder(const Climb& climb, const GradientChange& change, const Fit& present);

// Newton with a line search on the objective itself, from where the fit stands, until the guarantee holds.  Where it
// cannot be reached, fit.assessment says so.
void polish(const Climb& climb, Fit& fit);

}  // namespace unscatter
