// Inverse Hessians of all classes, kept while rows are edited, and the descent that uses them.
//
// An edited row changes a Hessian by a matrix of rank two and moves the optimum a little; the Hessian there is still
// almost the kept one.  Steps with a kept inverse (the chord method [Ortega70, Sec. 7.1]) then gain two or more digits
// each and cost one product with a matrix, where Newton's method pays for a new factor.  Nothing rests on the kept
// inverses: the descent ends at a gradient that was evaluated, or says that it did not get there.
//
//   primal    P_k = (Z^T D_k Z + ridge I)^-1, d x d.  A step is w - P_k g.
//   dual      P_k = (ridge I + S_k G S_k)^-1, n x n, S_k = sqrt(D_k), G = Z Z^T.  The descent works with multipliers a,
//             w = Z^T a - b / ridge, whose gradient is Z^T r with r = s o l'(margins) + ridge a: n numbers per class
//             instead of d, and margins are G a.
//
// With two classes and no perturbation the second is the first with every sign turned round, so one is solved and
// mirrored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "unscatter/learn/objective.h"
#include "unscatter/linalg/conjugate_gradients.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/regularised_hessian.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/linalg/updatable_inverse.h"

namespace unscatter {

// Where a descent ended.
struct Descent {
  Matrix weights;
  Evaluation evaluation;  // at the weights
  std::size_t steps = 0;
};

// Not thread-safe.
class KeptHessians {
 public:
  explicit KeptHessians(HessianForm form) : form_(form) {}

  [[nodiscard]] bool ready() const noexcept { return !inverses_.empty(); }
  // Forgets and overwrites everything.
  void reset() noexcept;

  // At `curvatures` (l'' of every row and class).  `gram` = Z Z^T in dual form, unused in primal form.  False, and
  // nothing is kept, where a Hessian is not positive definite at working precision or the inverses would take more than
  // half a gigabyte.
  [[nodiscard]] bool build(const Objective& objective, const Matrix& gram, const Matrix& curvatures);

  // Row i was `before` and is now that of `objective`, as `gram` knows already; `weights` say where its curvature is
  // taken. False, and nothing is kept, where rounding got in the way.
  [[nodiscard]] bool replace_row(const Objective& objective, const Matrix& gram, std::size_t i, const BlockRow& before,
                                 const Matrix& weights);

  // From `start`, where the gradient is about `gradient`, until the computed gradient of every class is at most
  // `tolerance`. Nothing if that is not reached; what was kept is then forgotten.  Renews the inverses at the end when
  // the steps spent for want of fresh ones have cost as much as fresh ones would.
  [[nodiscard]] std::optional<Descent> descend(const Objective& objective, const Matrix& gram, const Matrix& start,
                                               const Matrix& gradient, double tolerance);

  // Column c: H^-1 right_sides.col(c), H that of class classes[c] with curvatures.col(c), by conjugate gradients
  // [Golub13, Sec. 11.5.2] that the kept inverses precondition, all columns side by side.  Nothing if some relative
  // residual does not fall below `relative_residual` soon; what was kept is then forgotten.  Asked for all classes in
  // order, it renews the inverses as descend() does.
  [[nodiscard]] std::optional<Matrix> solve(const Objective& objective, const Matrix& gram,
                                            std::span<const std::size_t> classes, const Matrix& curvatures,
                                            const Matrix& right_sides, double relative_residual);

  // The same iteration as far as it comes in `most_iterations`.  Renews and forgets nothing.
  [[nodiscard]] ConjugateGradients iterate(const Objective& objective, const Matrix& gram,
                                           std::span<const std::size_t> classes, const Matrix& curvatures,
                                           const Matrix& right_sides, double relative_residual,
                                           std::size_t most_iterations) const;
  // Steps or iterations that cost as much as new inverses, by operation count: between 5 and 100.
  [[nodiscard]] std::size_t steps_worth_a_build(const Objective& objective) const;

  // How often build() was called, renewals included.
  [[nodiscard]] std::size_t builds() const noexcept { return builds_; }

 private:
  [[nodiscard]] std::optional<Descent> descend_primal(const Objective& objective, const Matrix& start,
                                                      const Matrix& gradient, double tolerance);
  [[nodiscard]] std::optional<Descent> descend_dual(const Objective& objective, const Matrix& gram, const Matrix& start,
                                                    const Matrix& gradient, double tolerance);
  [[nodiscard]] Vector dual_step(std::size_t k, const Matrix& gram, double ridge, const Vector& r) const;
  // Puts the present curvatures into the lines of P_k that are furthest off.  False if there was nothing to do.
  [[nodiscard]] bool refresh_lines(const Objective& objective, const Matrix& gram, std::size_t k,
                                   const Vector& curvatures);
  // P_k, of the class that k mirrors if it is not solved itself.
  [[nodiscard]] const UpdatableInverse& inverse(std::size_t k) const {
    return inverses_[std::min(k, inverses_.size() - 1)];
  }
  [[nodiscard]] std::size_t class_threads(const Objective& objective) const;
  // Operations per class, those of a step counted kSlowness times.
  [[nodiscard]] double step_cost(const Objective& objective) const;
  [[nodiscard]] double build_cost(const Objective& objective) const;
  // Calls body(k) for every solved class, on threads where that pays.
  void for_each_class(const Objective& objective, const std::function<void(std::size_t k)>& body) const;
  // Counts the steps of a descent or solve.
  [[nodiscard]] bool renewal_is_due(const Objective& objective, std::size_t steps);

  HessianForm form_;
  std::vector<UpdatableInverse> inverses_;  // P_k of the classes that are solved
  Matrix curvatures_;                       // D_k they were made with, one column each
  std::size_t fewest_steps_ = 0;            // of a descent since the last build
  double wasted_ = 0;                       // operations in steps beyond those
  std::size_t builds_ = 0;
};

}  // namespace unscatter
