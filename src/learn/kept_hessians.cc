#include "unscatter/learn/kept_hessians.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "base/wipe.h"
#include "learn/kept_descent.h"
#include "linalg/row_pass.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"
#include "unscatter/linalg/conjugate_gradients.h"

namespace unscatter {
namespace {

using Eigen::Index;

constexpr std::size_t kMostEntries = std::size_t{1} << 26;  // half a gigabyte
// How much longer an operation takes in products with vectors, which wait for memory, than in products of matrices.
constexpr double kSlowness = 2;
// Of what a solve left over, this much may be left again.
constexpr double kCorrected = 1e-4;
// Changes of a gradient, over what it may be off by, that say something about the Hessian.
constexpr double kTrusted = 100;

// Classes that have to be solved; the others follow.
Index solved_classes(const Objective& objective) {
  const bool mirrored = objective.classes() == 2 && objective.perturbation() == nullptr;
  return mirrored ? 1 : static_cast<Index>(objective.classes());
}

}  // namespace

void KeptHessians::reset() noexcept {
  for (UpdatableInverse& inverse : inverses_) inverse.wipe();
  inverses_.clear();
  wipe(std::as_writable_bytes(std::span(curvatures_.data(), static_cast<std::size_t>(curvatures_.size()))));
  curvatures_.resize(0, 0);  // so that there is nothing to overwrite the next time
  fewest_steps_ = 0;
  wasted_ = 0;
}

bool KeptHessians::build(const Objective& objective, const Matrix& gram, const Matrix& curvatures) {
  reset();
  const Index classes = solved_classes(objective);
  const auto order = form_ == HessianForm::kDual ? objective.rows().rows() : objective.width();
  if (static_cast<std::size_t>(classes) * order * order > kMostEntries) return false;
  ++builds_;
  // At weights of zero all classes have the same curvatures: one inverse serves all.
  const bool alike = (curvatures.leftCols(classes).colwise() - curvatures.col(0)).isZero(0);
  std::vector<std::optional<UpdatableInverse>> inverses(alike ? 1 : static_cast<std::size_t>(classes));
  parallel_for(inverses.size(), objective.threads(), 1, [&](std::size_t k, std::size_t) {
    const Vector D = curvatures.col(static_cast<Index>(k));
    Matrix H;
    if (form_ == HessianForm::kDual) {
      const Vector roots = D.cwiseSqrt();
      H = roots.asDiagonal() * gram * roots.asDiagonal();
    } else {
      H = weighted_square(objective.rows(), D);
    }
    H.diagonal().array() += objective.ridge();
    inverses[k] = UpdatableInverse::of(
        std::move(H), form_ == HessianForm::kDual ? InversePrecision::kSingleIfEnough : InversePrecision::kDouble);
  });
  if (!std::all_of(inverses.begin(), inverses.end(), [](const auto& inverse) { return inverse.has_value(); }))
    return false;
  for (std::optional<UpdatableInverse>& inverse : inverses) inverses_.push_back(*std::move(inverse));
  while (inverses_.size() < static_cast<std::size_t>(classes)) inverses_.push_back(inverses_.front());
  curvatures_ = curvatures.leftCols(classes);
  return true;
}

std::size_t KeptHessians::class_threads(const Objective& objective) const {
  const auto order = static_cast<std::size_t>(inverses_.front().order());
  return worthwhile_threads(inverses_.size() * order * order, objective.threads());
}

void KeptHessians::for_each_class(const Objective& objective, const std::function<void(std::size_t k)>& body) const {
  parallel_for(inverses_.size(), class_threads(objective), 1, [&](std::size_t label, std::size_t) { body(label); });
}

bool KeptHessians::replace_row(const Objective& objective, const Matrix& gram, std::size_t i, const BlockRow& before,
                               const Matrix& weights) {
  invariant(ready(), "replace_row() needs kept Hessians");
  const BlockRow& after = objective.rows().row(i);
  const auto at = static_cast<Index>(i);
  Matrix rows;
  if (form_ == HessianForm::kPrimal) rows = edited_rows(before, after, objective.width());
  std::vector<char> intact(inverses_.size(), 1);
  for_each_class(objective, [&](std::size_t k) {
    const auto column = static_cast<Index>(k);
    UpdatableInverse& inverse = inverses_[k];
    const double old_curvature = curvatures_(at, column);
    const double curvature = objective.loss().curvature(objective.sign(i, k) * dot(after, weights.col(column)));
    curvatures_(at, column) = curvature;
    if (form_ == HessianForm::kDual) {
      intact[k] = inverse.replace_line(i, dual_line(gram, curvatures_.col(column).cwiseSqrt(), at, objective.ridge()));
      return;
    }
    // Up before down: the matrix in between is the larger one.
    intact[k] = inverse.add(rows, Eigen::Vector2d(curvature, -old_curvature));
  });
  wipe(std::as_writable_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size()))));
  if (std::find(intact.begin(), intact.end(), 0) == intact.end()) return true;
  reset();
  return false;
}

std::optional<Descent> KeptHessians::descend(const Objective& objective, const Matrix& gram, const Matrix& start,
                                             const Matrix& gradient, double tolerance) {
  invariant(ready(), "descend() needs kept Hessians");
  std::optional<Descent> descent = form_ == HessianForm::kDual
                                       ? descend_dual(objective, gram, start, gradient, tolerance)
                                       : descend_primal(objective, start, gradient, tolerance);
  if (descent) {
    if (renewal_is_due(objective, descent->steps)) {
      (void)build(objective, gram, objective.curvatures(objective.margins(descent->weights)));
    }
  } else {
    reset();
  }
  return descent;
}

std::optional<Descent> KeptHessians::descend_primal(const Objective& objective, const Matrix& start,
                                                    const Matrix& gradient, double tolerance) {
  Descent descent{start, {}, 0};
  Matrix steps(start.rows(), static_cast<Index>(inverses_.size()));
  for_each_class(objective, [&](std::size_t label) {
    const auto k = static_cast<Index>(label);
    steps.col(k) = inverses_[label].times(gradient.col(k));
  });
  Matrix before = gradient;
  DescentWatch watch;
  while (true) {
    descent.weights -= with_mirrored(steps, objective.classes());
    descent.evaluation = objective.evaluate(descent.weights);
    ++descent.steps;
    const Matrix& after = descent.evaluation.gradient;
    const double norm = after.colwise().norm().maxCoeff();
    if (norm <= tolerance) return descent;
    if (!watch.goes_on(norm)) return std::nullopt;
    // What a step shows of the present Hessian stays for the removals to come; near the end it shows rounding errors
    // only.
    for_each_class(objective, [&](std::size_t label) {
      const auto k = static_cast<Index>(label);
      const bool trusted =
          (after.col(k) - before.col(k)).norm() > kTrusted * (tolerance + descent.evaluation.rounding(k));
      steps.col(k) = trusted ? inverses_[label].learn(steps.col(k), before.col(k), after.col(k))
                             : Vector(inverses_[label].times(after.col(k)));
    });
    before = after;
  }
}

std::optional<Matrix> KeptHessians::solve(const Objective& objective, const Matrix& gram,
                                          std::span<const std::size_t> classes, const Matrix& curvatures,
                                          const Matrix& right_sides, double relative_residual) {
  ConjugateGradients solved = iterate(objective, gram, classes, curvatures, right_sides, relative_residual, kMostSteps);
  if (!solved.converged) {
    reset();
    return std::nullopt;
  }
  if (form_ == HessianForm::kDual) {
    // The dual form divides a difference by the ridge and loses digits there; what is left over gives them back
    // [Golub13, Sec. 3.5.3].
    const Matrix left = right_sides - objective.ridge() * solved.x -
                        weighted_square_product(objective.rows(), curvatures, solved.x, objective.threads());
    const ConjugateGradients correction = iterate(objective, gram, classes, curvatures, left, kCorrected, kMostSteps);
    if (correction.converged) solved.x += correction.x;
  }
  if (classes.size() == objective.classes()) {
    const std::size_t steps = std::max<std::size_t>(solved.iterations, 1);
    if (renewal_is_due(objective, steps)) (void)build(objective, gram, curvatures);
  }
  return std::move(solved.x);
}

ConjugateGradients KeptHessians::iterate(const Objective& objective, const Matrix& gram,
                                         std::span<const std::size_t> classes, const Matrix& curvatures,
                                         const Matrix& right_sides, double relative_residual,
                                         std::size_t most_iterations) const {
  invariant(ready(), "iterate() needs kept Hessians");
  invariant(static_cast<Index>(classes.size()) == right_sides.cols(), "one class per right side");
  const SparseBlockRows& Z = objective.rows();
  const double ridge = objective.ridge();
  const auto precondition = [&](const Matrix& columns) {
    Matrix result(columns.rows(), columns.cols());
    parallel_for(classes.size(), class_threads(objective), 1, [&](std::size_t c, std::size_t) {
      result.col(static_cast<Index>(c)) = inverse(classes[c]).times(columns.col(static_cast<Index>(c)));
    });
    return result;
  };
  if (form_ == HessianForm::kPrimal) {
    const auto apply = [&](const Matrix& columns) -> Matrix {
      return weighted_square_product(Z, curvatures, columns, objective.threads()) + ridge * columns;
    };
    return conjugate_gradients(apply, precondition, right_sides, relative_residual, most_iterations);
  }
  // H^-1 y = (y - Z^T S M^-1 S Z y) / ridge with M = ridge I + S G S.
  const Matrix roots = curvatures.cwiseSqrt();
  const auto apply = [&](const Matrix& columns) -> Matrix {
    return roots.cwiseProduct(symmetric_product(gram, roots.cwiseProduct(columns), objective.threads())) +
           ridge * columns;
  };
  ConjugateGradients solved =
      conjugate_gradients(apply, precondition, roots.cwiseProduct(product(Z, right_sides, objective.threads())),
                          relative_residual, most_iterations);
  solved.x = (right_sides - transposed_product(Z, roots.cwiseProduct(solved.x), objective.threads())) / ridge;
  return solved;
}

std::size_t KeptHessians::steps_worth_a_build(const Objective& objective) const {
  return static_cast<std::size_t>(std::clamp(build_cost(objective) / step_cost(objective), 5.0, 100.0));
}

double KeptHessians::step_cost(const Objective& objective) const {
  const auto n = static_cast<double>(objective.rows().rows());
  const auto d = static_cast<double>(objective.width());
  return kSlowness * (form_ == HessianForm::kDual ? 6 * n * n : 4 * n * d + 2 * d * d);
}

double KeptHessians::build_cost(const Objective& objective) const {
  const auto n = static_cast<double>(objective.rows().rows());
  const auto d = static_cast<double>(objective.width());
  return form_ == HessianForm::kDual ? n * n + 8 * n * n * n / 3 : n * d * d + 8 * d * d * d / 3;
}

bool KeptHessians::renewal_is_due(const Objective& objective, std::size_t steps) {
  if (fewest_steps_ == 0) fewest_steps_ = steps;
  fewest_steps_ = std::min(fewest_steps_, steps);
  wasted_ += static_cast<double>(steps - fewest_steps_) * step_cost(objective);
  return wasted_ >= build_cost(objective);
}

}  // namespace unscatter
