// Newton with a backtracking line search [Nocedal06, Alg. 3.1], all classes side by side so that each pass over Z serves all.
//
// Trial steps cost O(n), not O(nd): along w + t v the margins are margins + t s o Z v.  Objective::change() compares values
// without cancellation, so the search works down to the last digits of the gradient.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/optimizers.h"
#include "unscatter/learn/newton_system.h"
#include "unscatter/linalg/rounding.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

// The step length, or 0 if no step makes the value smaller.
double line_search(const Objective& objective, std::size_t label, const Vector& margins, const Vector& signed_products,
                   const Vector& weights, const Vector& step, double slope) {
  constexpr double kSufficientDecrease = 1e-4;
  constexpr double kSmallestStep = 0x1p-60;
  for (double t = 1; t >= kSmallestStep; t /= 2) {
    if (objective.change(label, margins, signed_products, weights, step, t) <= kSufficientDecrease * t * slope) return t;
  }
  return 0;
}

Matrix columns(const Matrix& all, const std::vector<std::size_t>& chosen) {
  Matrix some(all.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t c = 0; c < chosen.size(); ++c) some.col(static_cast<Index>(c)) = all.col(static_cast<Index>(chosen[c]));
  return some;
}

// Column c: (H + shift I)^-1 right_sides.col(c).  Errors: kNotConverged if some H is 0.
Result<Matrix> steps_without_ridge(const SparseBlockRows& Z, const Matrix& curvatures, const Matrix& right_sides) {
  Matrix steps(right_sides.rows(), right_sides.cols());
  for (Index c = 0; c < steps.cols(); ++c) {
    const Vector D = curvatures.col(c);
    UNSCATTER_TRY(H, RegularisedHessian::primal(Z, D, shift_without_ridge(Z, D)));
    steps.col(c) = H.solve(right_sides.col(c));
  }
  return steps;
}

}  // namespace

double shift_without_ridge(const SparseBlockRows& Z, const Vector& curvature) {
  double trace = 0;
  for (std::size_t i = 0; i < Z.rows(); ++i) trace += curvature(static_cast<Index>(i)) * squared_norm(Z.row(i));
  // A little above the envelope that RegularisedHessian allows for, 2 gamma tr(H).
  return 2.5 * rounding_factor(static_cast<double>(Z.rows()) + static_cast<double>(Z.columns()) + 4) * trace;
}

Result<TrainedWeights> train_newton(const Objective& objective, const Matrix& start, const TrainOptions& options) {
  const HessianForm cheaper = cheaper_form(objective.rows().rows(), objective.width());
  NewtonSystem own(options.form.value_or(cheaper));
  NewtonSystem& system = options.system != nullptr ? *options.system : own;
  return newton_descent(objective, start, *options.gradient_tolerance, options.max_iterations, system, options.progress);
}

namespace {

// The descent, with Newton systems solved by `solve(classes, curvatures, right_sides)`.
template <typename Solve>
Result<TrainedWeights> descend(const Objective& objective, const Matrix& start, double tolerance, std::size_t max_iterations,
                               Progress* progress, Solve solve) {
  const std::size_t K = objective.classes();
  TrainedWeights trained{start, Vector::Zero(static_cast<Index>(K)), std::vector<std::size_t>(K, 0)};
  Matrix& W = trained.weights;
  std::vector<std::size_t> active(K);
  std::iota(active.begin(), active.end(), std::size_t{0});

  Stage stage(progress, K);
  for (std::size_t iteration = 0;; ++iteration) {
    const Matrix margins = objective.margins(W);
    const Matrix gradient = objective.gradient(margins, W);
    trained.gradient_norms = gradient.colwise().norm();
    const std::size_t before = active.size();
    std::erase_if(active, [&](std::size_t k) { return trained.gradient_norms(static_cast<Index>(k)) <= tolerance; });
    stage.advance(before - active.size());
    if (active.empty()) break;
    const std::size_t worst = active.front();
    if (iteration == max_iterations) {
      return not_converged(worst, trained.gradient_norms(static_cast<Index>(worst)), tolerance, iteration);
    }

    const Matrix curvatures = columns(objective.curvatures(margins), active);
    const Matrix downhill = -columns(gradient, active);
    UNSCATTER_TRY(steps, solve(active, curvatures, downhill));
    const Matrix products = product(objective.rows(), steps, objective.threads());
    for (std::size_t c = 0; c < active.size(); ++c) {
      const std::size_t k = active[c];
      const auto column = static_cast<Index>(k);
      Vector signed_products = products.col(static_cast<Index>(c));
      for (Index i = 0; i < signed_products.size(); ++i) signed_products(i) *= objective.sign(static_cast<std::size_t>(i), k);
      const Vector v = steps.col(static_cast<Index>(c));
      const double slope = gradient.col(column).dot(v);
      const double t = line_search(objective, k, margins.col(column), signed_products, W.col(column), v, slope);
      if (t == 0) return not_converged(k, trained.gradient_norms(column), tolerance, iteration);
      W.col(column) += t * v;
      ++trained.iterations[k];
    }
  }
  return trained;
}

}  // namespace

Result<TrainedWeights> newton_descent(const Objective& objective, const Matrix& start, double tolerance,
                                      std::size_t max_iterations, NewtonSystem& system, Progress* progress) {
  const auto solve = [&](const std::vector<std::size_t>& classes, const Matrix& curvatures, const Matrix& right_sides) {
    // Without a ridge there is nothing to divide by in dual form.
    return objective.ridge() == 0 ? steps_without_ridge(objective.rows(), curvatures, right_sides)
                                  : system.solve(objective, classes, curvatures, right_sides);
  };
  return descend(objective, start, tolerance, max_iterations, progress, solve);
}

Result<TrainedWeights> newton_descent(const Objective& objective, const Matrix& start, double tolerance,
                                      std::size_t max_iterations, KeptHessians& kept, const Matrix& gram, Progress* progress) {
  // Enough for each step to gain three digits; better solutions cost more than they bring [Nocedal06, Sec. 7.1].
  constexpr double kRelativeResidual = 1e-3;
  const auto solve = [&](const std::vector<std::size_t>& classes, const Matrix& curvatures,
                         const Matrix& right_sides) -> Result<Matrix> {
    std::optional<Matrix> steps;
    if (kept.ready()) steps = kept.solve(objective, gram, classes, curvatures, right_sides, kRelativeResidual);
    if (!steps) return Error{ErrorCode::kNotConverged, "the kept Hessians are too far from the present ones"};
    return *std::move(steps);
  };
  return descend(objective, start, tolerance, max_iterations, progress, solve);
}

}  // namespace unscatter
