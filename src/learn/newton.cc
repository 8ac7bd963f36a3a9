// Newton with exact systems and a backtracking line search, all classes side by side so that each pass over Z serves
// all; and which Newton train() takes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/line_search.h"
#include "learn/optimizers.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "unscatter/learn/newton_system.h"

namespace unscatter {
namespace {

using Eigen::Index;

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
  KeptHessians own_kept(system.form());
  KeptHessians& kept = options.kept != nullptr ? *options.kept : own_kept;
  // Where the curvature is constant there is one system, which is the problem itself: solved exactly.  In dual form a
  // factor costs an eighth of an inverse, and the systems are small, so that inexact steps pay only if inverses are at
  // hand.
  const bool worthwhile = system.form() == HessianForm::kPrimal || kept.ready();
  if (worthwhile && objective.ridge() > 0 && objective.loss().curvature_lipschitz() > 0) {
    Result<TrainedWeights> trained =
        inexact_newton(objective, start, *options.gradient_tolerance, options.max_iterations, kept,
                       system.gram(objective), options.progress);
    if (trained.ok()) return trained;
    kept.reset();
  }
  // Exact steps arrive where inexact ones do not: at the last digits, and with curvatures that vanish.
  return newton_descent(objective, start, *options.gradient_tolerance, options.max_iterations, system,
                        options.progress);
}

Result<TrainedWeights> newton_descent(const Objective& objective, const Matrix& start, double tolerance,
                                      std::size_t max_iterations, NewtonSystem& system, Progress* progress) {
  const std::size_t K = objective.classes();
  TrainedWeights trained{start, Vector::Zero(static_cast<Index>(K)), std::vector<std::size_t>(K, 0)};
  Matrix& W = trained.weights;
  std::vector<std::size_t> active(is_mirrored(objective, start) ? 1 : K);
  std::iota(active.begin(), active.end(), std::size_t{0});
  const bool mirrored = active.size() < K;

  Stage stage(progress, K);
  for (std::size_t iteration = 0;; ++iteration) {
    const Matrix margins = objective.margins(W);
    const Matrix gradient = objective.gradient(margins, W);
    trained.gradient_norms = gradient.colwise().norm();
    const std::size_t before = active.size();
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
                                                : system.solve(objective, active, curvatures, downhill));
    const Matrix products = product(objective.rows(), steps, objective.threads());
    for (std::size_t c = 0; c < active.size(); ++c) {
      const std::size_t k = active[c];
      const auto column = static_cast<Index>(k);
      Vector signed_products = products.col(static_cast<Index>(c));
      for (Index i = 0; i < signed_products.size(); ++i)
        signed_products(i) *= objective.sign(static_cast<std::size_t>(i), k);
      const Vector v = steps.col(static_cast<Index>(c));
      const double slope = gradient.col(column).dot(v);
      const double t = line_search(objective, k, margins.col(column), signed_products, W.col(column), v, slope);
      if (t == 0) return not_converged(k, trained.gradient_norms(column), tolerance, iteration);
      W.col(column) += t * v;
      ++trained.iterations[k];
    }
    if (mirrored) {
      W.col(1) = -W.col(0);
      trained.iterations[1] = trained.iterations[0];
    }
  }
  return trained;
}

}  // namespace unscatter
