// Newton with exact systems and a backtracking line search.  All classes go side by side, so that each pass over Z
// serves all of them.  train_newton() chooses between this and inexact_newton.cc.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "learn/line_search.h"
#include "learn/optimizers.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Column c: (H + shift I)^-1 right_sides.col(c).  Without a ridge there is no strong convexity, and H may be singular.
// Errors: kNotConverged if some H is 0.
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
  in_turns(Z.share(), std::span(&trace, 1), [&] {
    for (std::size_t i = 0; i < Z.rows(); ++i) trace += curvature(static_cast<Index>(i)) * squared_norm(Z.row(i));
  });
  // A little above the envelope 2 theta tr(H) of RegularisedHessian, below which a factor proves nothing.
  return 2.5 * rounding_factor(static_cast<double>(Z.total_rows()) + static_cast<double>(Z.columns()) + 4) * trace;
}

Result<TrainedWeights> train_newton(const Objective& objective, const Matrix& start, const TrainOptions& options,
                                    Curvature& curvature) {
  // Where the curvature is constant there is only one system, and it is the problem itself.  It is solved exactly.
  const bool inexact =
      curvature.trains_inexactly() && objective.ridge() > 0 && objective.loss().curvature_lipschitz() > 0;
  if (inexact) {
    Result<TrainedWeights> trained = inexact_newton(objective, start, *options.gradient_tolerance,
                                                    options.max_iterations, curvature, options.progress);
    if (trained.ok()) return trained;
    // Inverses that did not lead to the end are not kept for later updates.
    curvature.drop_inverses();
  }
  // Exact steps still arrive where inexact ones give up: at the last digits, and with curvatures that vanish.
  return newton_descent(objective, start, *options.gradient_tolerance, options.max_iterations, curvature,
                        options.progress);
}

Result<TrainedWeights> newton_descent(const Objective& objective, const Matrix& start, double tolerance,
                                      std::size_t max_iterations, Curvature& curvature, Progress* progress) {
  const std::size_t K = objective.classes();
  TrainedWeights trained{start, Vector::Zero(static_cast<Index>(K)), std::vector<std::size_t>(K, 0)};
  Matrix& W = trained.weights;
  std::vector<std::size_t> active(is_mirrored(objective, start) ? 1 : K);
  std::iota(active.begin(), active.end(), std::size_t{0});
  const bool mirrored = active.size() < K;

  Stage stage(progress, K);
  for (std::size_t iteration = 0;; ++iteration) {
    // Margins are computed from the weights in every step.  Updated ones would collect rounding errors, and this
    // descent has to reach the last digits.
    const Matrix margins = objective.margins(W);
    const Matrix gradient = objective.gradient(margins, W);
    trained.gradient_norms = gradient.colwise().norm();
    const std::size_t before = active.size();
    // A class that has arrived stays where it is.  Its steps would cost a factor each.
    std::erase_if(active, [&](std::size_t k) { return trained.gradient_norms(static_cast<Index>(k)) <= tolerance; });
    stage.advance(before - active.size());
    if (active.empty()) {
      if (mirrored) stage.advance(1);
      break;
    }
    const std::size_t worst = active.front();
    if (iteration == max_iterations) {
      return not_converged(worst, trained.gradient_norms(static_cast<Index>(worst)), tolerance, iteration);
    }

    const Matrix curvatures = columns_of(objective.curvatures(margins), active);
    const Matrix downhill = -columns_of(gradient, active);
    // Without a ridge there is nothing to divide by in dual form.
    UNSCATTER_TRY(steps, objective.ridge() == 0 ? steps_without_ridge(objective.rows(), curvatures, downhill)
                                                : curvature.solve(objective, active, curvatures, downhill));
    const Matrix products = product(objective.rows(), steps, objective.threads());
    for (std::size_t c = 0; c < active.size(); ++c) {
      const std::size_t k = active[c];
      const auto column = static_cast<Index>(k);
      // One product with Z per class serves all trial steps of the line search (line_search.h).
      Vector signed_products = products.col(static_cast<Index>(c));
      for (Index i = 0; i < signed_products.size(); ++i)
        signed_products(i) *= objective.sign(static_cast<std::size_t>(i), k);
      const Vector v = steps.col(static_cast<Index>(c));
      const double slope = gradient.col(column).dot(v);
      const double t = line_search(objective, k, margins.col(column), signed_products, W.col(column), v, slope);
      // No step makes the value smaller: rounding errors have taken over.
      if (t == 0) return not_converged(k, trained.gradient_norms(column), tolerance, iteration);
      W.col(column) += t * v;
      ++trained.iterations[k];
    }
    if (mirrored) {
      // Set and not computed, so that the two stay mirror images to the last bit.
      W.col(1) = -W.col(0);
      trained.iterations[1] = trained.iterations[0];
    }
  }
  return trained;
}

}  // namespace unscatter
