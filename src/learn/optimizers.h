// The two optimisers behind train(); it has checked their arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "learn/train_with_curvature.h"
#include "unscatter/learn/train.h"

namespace unscatter {

// options.gradient_tolerance and options.max_iterations are set.
[[nodiscard]] Result<TrainedWeights> train_newton(const Objective& objective, const Matrix& start,
                                                  const TrainOptions& options, Curvature& curvature);
[[nodiscard]] Result<TrainedWeights> train_lbfgs(const Objective& objective, const Matrix& start,
                                                 const TrainOptions& options);

// Whether the second of two classes is the first with every sign turned round.  Without a perturbation L_2(w) =
// L_1(-w), so what holds at `start` holds at the end.  One class is then solved.
[[nodiscard]] inline bool is_mirrored(const Objective& objective, const Matrix& start) {
  return objective.classes() == 2 && objective.perturbation() == nullptr && start.col(0) == -start.col(1);
}

// The chosen columns, side by side.
[[nodiscard]] inline Matrix columns_of(const Matrix& all, const std::vector<std::size_t>& chosen) {
  Matrix some(all.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    some.col(static_cast<Eigen::Index>(c)) = all.col(static_cast<Eigen::Index>(chosen[c]));
  }
  return some;
}

// From `start`, with the inverses that `curvature` holds.  If it holds none, they are built at the start.  ridge > 0.
// Errors: kNotConverged; exact steps may still arrive then.
[[nodiscard]] Result<TrainedWeights> inexact_newton(const Objective& objective, const Matrix& start, double tolerance,
                                                    std::size_t max_iterations, Curvature& curvature,
                                                    Progress* progress);

// What takes the place of the ridge where there is none.  It is just enough for a factor of a singular
// Z^T diag(curvature) Z (columns that no row touches, features that depend on each other).
[[nodiscard]] double shift_without_ridge(const SparseBlockRows& Z, const Vector& curvature);

// A stage of progress that ends however the function is left.
class Stage {
 public:
  Stage(Progress* progress, std::size_t classes) : progress_(progress != nullptr ? *progress : no_progress()) {
    progress_.begin("training", classes);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() { progress_.end(); }
  void advance(std::size_t units) { progress_.advance(units); }

 private:
  Progress& progress_;
};

// The error of both optimisers when they stop short.
[[nodiscard]] Error not_converged(std::size_t label, double gradient_norm, double tolerance, std::size_t iterations);

}  // namespace unscatter
