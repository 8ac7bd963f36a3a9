#include "unscatter/learn/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learn/optimizers.h"
#include "unscatter/learn/newton_system.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

Status check(const Objective& objective, const Matrix& start) {
  if (objective.rows().stored_values() == 0) return Error{ErrorCode::kInvalidArgument, "there is no data to train on"};
  const auto d = static_cast<Eigen::Index>(objective.width());
  const auto K = static_cast<Eigen::Index>(objective.classes());
  if (start.rows() != d || start.cols() != K) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("starting weights are {} x {} instead of {} x {}", start.rows(), start.cols(), d, K)};
  }
  if (!start.allFinite()) return Error{ErrorCode::kInvalidArgument, "starting weights are not finite"};
  if (objective.perturbation() != nullptr && !objective.perturbation()->allFinite()) {
    return Error{ErrorCode::kInvalidArgument, "the perturbation is not finite"};
  }
  double largest = 0;
  for (std::size_t i = 0; i < objective.rows().rows(); ++i) {
    const double square = squared_norm(objective.rows().row(i));
    if (!std::isfinite(square)) return Error{ErrorCode::kInvalidArgument, fmt::format("embedding {} is not finite", i)};
    largest = std::max(largest, square);
  }
  if (largest == 0) return Error{ErrorCode::kInvalidArgument, "there is no data to train on: every embedding is zero"};
  return ok_status();
}

// Without a ridge the logistic loss may have no minimum, and its gradient then falls below any tolerance on the way to
// infinity. Newton's step v tells.  Suppose some direction u separates: a_i = s_i z_i.u >= 0 for all rows, not all 0.  From
// u.(H v + g) = 0,
//
//   sum l''_i a_i s_i z_i.v = sum |l'_i| a_i,     l'' = |l'| (1 - |l'|) <= |l'|,
//
// so that some margin grows by s_i z_i.v >= 1 wherever one stands.  At a minimum no margin grows at all.  A perturbation only
// adds to g; the step is then just another sign of not having arrived.
Status check_minimum_exists(const Objective& objective, const Matrix& weights) {
  constexpr double kLargestGrowth = 0.5;
  const Matrix margins = objective.margins(weights);
  NewtonSystem system(HessianForm::kPrimal);
  UNSCATTER_TRY(steps, system.solve(objective, objective.curvatures(margins), -objective.gradient(margins, weights)));
  Matrix growth = product(objective.rows(), steps, objective.threads());
  objective.apply_signs(growth);
  for (Eigen::Index k = 0; k < growth.cols(); ++k) {
    if (!(growth.col(k).maxCoeff() < kLargestGrowth)) {
      return Error{ErrorCode::kNotConverged,
                   fmt::format("class {} can be separated, and without regularisation its loss has no minimum", k)};
    }
  }
  return ok_status();
}

}  // namespace

Result<Optimizer> parse_optimizer(std::string_view text) {
  if (text == "newton") return Optimizer::kNewton;
  if (text == "lbfgs") return Optimizer::kLbfgs;
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown optimizer '{}'; choose newton or lbfgs", text)};
}

double default_gradient_tolerance(const SparseBlockRows& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) sum += norm(rows.row(i));
  return 1e-12 * sum;
}

Error not_converged(std::size_t label, double gradient_norm, double tolerance, std::size_t iterations) {
  return {ErrorCode::kNotConverged,
          fmt::format("training of class {} stopped after {} iterations at a gradient norm of {:.3g}, "
                      "above the tolerance of {:.3g}",
                      label, iterations, gradient_norm, tolerance)};
}

Result<TrainedWeights> train(const Objective& objective, const TrainOptions& options) {
  return train(objective,
               Matrix::Zero(static_cast<Eigen::Index>(objective.width()), static_cast<Eigen::Index>(objective.classes())),
               options);
}

Result<TrainedWeights> train(const Objective& objective, const Matrix& start, const TrainOptions& options) {
  UNSCATTER_CHECK_OK(check(objective, start));
  TrainOptions complete = options;
  if (!complete.gradient_tolerance) complete.gradient_tolerance = default_gradient_tolerance(objective.rows());
  if (!(*complete.gradient_tolerance > 0)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the gradient tolerance {} is not positive", *complete.gradient_tolerance)};
  }
  const bool newton = options.optimizer == Optimizer::kNewton;
  // Newton takes a dozen steps; L-BFGS on an ill-conditioned problem (lambda 1e-6) some thousands.
  if (complete.max_iterations == 0) complete.max_iterations = newton ? 200 : 20000;
  UNSCATTER_TRY(trained, newton ? train_newton(objective, start, complete) : train_lbfgs(objective, start, complete));
  if (objective.ridge() == 0 && objective.loss().kind() == LossKind::kLogistic) {
    UNSCATTER_CHECK_OK(check_minimum_exists(objective, trained.weights));
  }
  return trained;
}

}  // namespace unscatter
