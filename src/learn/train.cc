#include "unscatter/learn/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "learn/optimizers.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"

namespace unscatter {
namespace {

Status check(const Objective& objective, const Matrix& start) {
  if (objective.rows().total_stored_values() == 0)
    return Error{ErrorCode::kInvalidArgument, "there is no data to train on"};
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
  const SparseBlockRows& rows = objective.rows();
  // The largest square, and how far from the end of all rows the first one stands that is not finite.
  std::array<double, 2> found{};
  const auto from_end = [&](std::size_t place) {
    return static_cast<double>(rows.total_rows() - rows.first_of_all() - place);
  };
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double square = squared_norm(rows.row(i));
    // The square and not the row: norms and Gram matrices need it to be finite as well.
    if (!std::isfinite(square)) {
      found[1] = from_end(i);
      break;
    }
    found[0] = std::max(found[0], square);
  }
  largest_of_all(rows.share(), found);
  if (found[1] != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("embedding {} is not finite", rows.total_rows() - static_cast<std::size_t>(found[1]))};
  }
  // The default tolerance would be 0 and out of reach.
  if (found[0] == 0) return Error{ErrorCode::kInvalidArgument, "there is no data to train on: every embedding is zero"};
  return ok_status();
}

// Without a ridge the logistic loss may have no minimum.  Its gradient then falls below any tolerance on the way to
// infinity.  Two signs tell.  Suppose that some direction u separates: a_i = s_i z_i.u >= 0 for all rows, not all 0.
//
// (1) Let v be Newton's step.  From u.(H v + g) = 0 and l'' = |l'| (1 - |l'|) <= |l'|,
//
//       sum l''_i a_i s_i z_i.v = sum |l'_i| a_i.
//
//     So some margin grows by s_i z_i.v >= 1, wherever one stands.  At a minimum no margin grows at all.
//
// (2) Far out, rounding hides the curvature along u.  H is shifted to have a factor, and then (1) is lost.  But then
//     z_i.H^-1 z_i is of the size of |z_i|^2 / shift for a row with a_i > 0.  It is at most 1 / l''_i, so only rows of
//     tiny curvature need a look.
//
// A perturbation adds to g.  With one, both are no more than signs that training has not arrived.
Status check_minimum_exists(const Objective& objective, const Matrix& weights) {
  constexpr double kLargestGrowth = 0.1;  // between 0, at a minimum, and 1, where (1) holds
  constexpr double kHidden = 100;         // times the shift: a curvature that rounding may have made
  const SparseBlockRows& Z = objective.rows();
  const Matrix margins = objective.margins(weights);
  const Matrix gradient = objective.gradient(margins, weights);
  const Matrix curvatures = objective.curvatures(margins);
  for (Eigen::Index k = 0; k < weights.cols(); ++k) {
    const Error separable{ErrorCode::kNotConverged,
                          fmt::format("class {} can be separated: without regularisation its loss has no minimum", k)};
    const Vector D = curvatures.col(k);
    const double shift = shift_without_ridge(Z, D);
    UNSCATTER_TRY(H, RegularisedHessian::primal(Z, D, shift));
    const Vector step = H.solve(-gradient.col(k));
    Vector row(weights.rows());
    const auto tells = [&](std::size_t i) {
      const double growth = objective.sign(i, static_cast<std::size_t>(k)) * dot(Z.row(i), step);
      // NaN counts as separable: a minimum would have finite numbers.
      if (!(growth < kLargestGrowth)) return true;
      const double square = squared_norm(Z.row(i));
      if (D(static_cast<Eigen::Index>(i)) * square >= kHidden * shift || square == 0) return false;
      Z.copy_row(i, {row.data(), Z.columns()});
      return !(row.dot(H.solve(row)) * kHidden * shift < square);
    };
    bool told = false;
    for (std::size_t i = 0; i < Z.rows() && !told; ++i) told = tells(i);
    if (true_anywhere(Z.share(), told)) return separable;
  }
  return ok_status();
}

}  // namespace

std::string_view name(Optimizer optimizer) { return optimizer == Optimizer::kNewton ? "newton" : "lbfgs"; }

Result<Optimizer> parse_optimizer(std::string_view text) {
  for (const Optimizer optimizer : {Optimizer::kNewton, Optimizer::kLbfgs}) {
    if (text == name(optimizer)) return optimizer;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown optimizer '{}'; choose newton or lbfgs", text)};
}

double default_gradient_tolerance(const SparseBlockRows& rows) {
  double sum = 0;
  in_turns(rows.share(), std::span(&sum, 1), [&] {
    for (std::size_t i = 0; i < rows.rows(); ++i) sum += rows.row_norm(i);
  });
  return 1e-12 * sum;
}

Error not_converged(std::size_t label, double gradient_norm, double tolerance, std::size_t iterations) {
  return {ErrorCode::kNotConverged,
          fmt::format("training of class {} stopped after {} iterations at a gradient norm of {:.3g}, "
                      "above the tolerance of {:.3g}",
                      label, iterations, gradient_norm, tolerance)};
}

Result<TrainedWeights> train(const Objective& objective, const TrainOptions& options) {
  return train(
      objective,
      Matrix::Zero(static_cast<Eigen::Index>(objective.width()), static_cast<Eigen::Index>(objective.classes())),
      options);
}

Result<TrainedWeights> train(const Objective& objective, const Matrix& start, const TrainOptions& options) {
  Curvature curvature(options.form.value_or(cheaper_form(objective.rows().total_rows(), objective.width())));
  return train_with_curvature(objective, start, options, curvature);
}

bool rows_are_zero(const SparseBlockRows& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto& values = rows.row(i).values;
    // Not the norm, which may lose a NaN.
    if (std::any_of(values.begin(), values.end(), [](double value) { return value != 0; })) return false;
  }
  return true;
}

std::optional<Matrix> minimum_of_zero_rows(const Objective& objective) {
  const bool values = !rows_are_zero(objective.rows());
  if (true_anywhere(objective.rows().share(), values) || !(objective.ridge() > 0)) return std::nullopt;
  if (objective.perturbation() != nullptr) return Matrix(-*objective.perturbation() / objective.ridge());
  return Matrix::Zero(static_cast<Eigen::Index>(objective.width()), static_cast<Eigen::Index>(objective.classes()));
}

Result<TrainedWeights> train_with_curvature(const Objective& objective, const Matrix& start,
                                            const TrainOptions& options, Curvature& curvature) {
  UNSCATTER_CHECK_OK(check(objective, start));
  TrainOptions complete = options;
  if (!complete.gradient_tolerance) complete.gradient_tolerance = default_gradient_tolerance(objective.rows());
  if (!(*complete.gradient_tolerance > 0)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the gradient tolerance {} is not positive", *complete.gradient_tolerance)};
  }
  const bool newton = options.optimizer == Optimizer::kNewton;
  // Newton takes a dozen steps.  L-BFGS takes some thousands on an ill-conditioned problem (lambda = 1e-6).
  if (complete.max_iterations == 0) complete.max_iterations = newton ? 200 : 20000;
  UNSCATTER_TRY(trained,
                newton ? train_newton(objective, start, complete, curvature) : train_lbfgs(objective, start, complete));
  // The other losses have a minimum on separable data too.
  if (objective.ridge() == 0 && objective.loss().kind() == LossKind::kLogistic) {
    UNSCATTER_CHECK_OK(check_minimum_exists(objective, trained.weights));
  }
  return trained;
}

}  // namespace unscatter
