#include "unscatter/learn/kept_hessians.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/anderson.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/parallel.h"
#include "unscatter/base/wipe.h"
#include "unscatter/linalg/conjugate_gradients.h"
#include "unscatter/linalg/row_pass.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

constexpr std::size_t kMostEntries = std::size_t{1} << 26;  // half a gigabyte
constexpr std::size_t kMostSteps = 25;
// How much longer an operation takes in products with vectors, which wait for memory, than in products of matrices.
constexpr double kSlowness = 2;
// Steps that leave more of the gradient than this are no progress; so many are waited for.
constexpr double kLeastProgress = 0.5;
constexpr std::size_t kMostIdleSteps = 2;
// Changes of a gradient, over what it may be off by, that say something about the Hessian.
constexpr double kTrusted = 100;
// Norms are computed, not estimated, below so many tolerances.
constexpr double kNearTheEnd = 3;
// Roots of curvatures, over the largest, that can be divided by without losing more than half of the digits.
constexpr double kSmallestRoot = 1e-6;
// Lines of a dual matrix are renewed one by one where they are off by more than this; so many at a time.
constexpr double kStaleShare = 0.05;
constexpr std::size_t kMostFreshLines = 4;
// Later steps gain more from mixing, which has to forget its past when a line changes.
constexpr std::size_t kFreshLineSteps = 2;

// Classes that have to be solved; the others follow.
Index solved_classes(const Objective& objective) {
  const bool mirrored = objective.classes() == 2 && objective.perturbation() == nullptr;
  return mirrored ? 1 : static_cast<Index>(objective.classes());
}

// All classes from the solved ones.
Matrix with_mirrored(Matrix solved, std::size_t classes) {
  if (solved.cols() == static_cast<Index>(classes)) return solved;
  Matrix all(solved.rows(), 2);
  all.col(0) = solved.col(0);
  all.col(1) = -solved.col(0);
  return all;
}

Vector dense_row(const BlockRow& row, Index width) {
  Vector dense = Vector::Zero(width);
  add_scaled(row, 1, dense);
  return dense;
}

// Row and column i of ridge I + S G S.
Vector dual_line(const Matrix& gram, const Vector& roots, Index i, double ridge) {
  Vector line = roots(i) * gram.col(i).cwiseProduct(roots);
  line(i) += ridge;
  return line;
}

// Watches a descent: whether to go on, given the norms of the gradient so far.  Mixed steps may go up before they come down.
class Watch {
 public:
  [[nodiscard]] bool goes_on(double norm) {
    ++steps_;
    if (norm <= kLeastProgress * best_) {  // false for NaN
      best_ = norm;
      idle_ = 0;
    } else {
      ++idle_;
    }
    return idle_ <= kMostIdleSteps && steps_ <= kMostSteps && std::isfinite(norm);
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  std::size_t idle_ = 0;
  std::size_t steps_ = 0;
};

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
  if (!std::all_of(inverses.begin(), inverses.end(), [](const auto& inverse) { return inverse.has_value(); })) return false;
  for (std::optional<UpdatableInverse>& inverse : inverses) inverses_.push_back(*std::move(inverse));
  while (inverses_.size() < static_cast<std::size_t>(classes)) inverses_.push_back(inverses_.front());
  curvatures_ = curvatures.leftCols(classes);
  return true;
}

// Products with a vector: a second thread is worth waking for the memory it reads.
std::size_t KeptHessians::class_threads(const Objective& objective) const {
  constexpr std::size_t kManyEntries = std::size_t{1} << 19;
  const auto order = static_cast<std::size_t>(inverses_.front().order());
  return inverses_.size() * order * order < kManyEntries ? 1 : objective.threads();
}

template <typename Body>
void KeptHessians::for_each_class(const Objective& objective, Body body) const {
  parallel_for(inverses_.size(), class_threads(objective), 1, [&](std::size_t label, std::size_t) { body(label); });
}

bool KeptHessians::replace_row(const Objective& objective, const Matrix& gram, std::size_t i, const BlockRow& before,
                               const Matrix& weights) {
  invariant(ready(), "replace_row() needs kept Hessians");
  const BlockRow& after = objective.rows().row(i);
  const auto at = static_cast<Index>(i);
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
    const auto width = static_cast<Index>(objective.width());
    if (!after.values.empty()) intact[k] = inverse.add(dense_row(after, width), curvature);
    if (intact[k] != 0 && !before.values.empty()) {
      Vector row = dense_row(before, width);
      intact[k] = inverse.add(row, -old_curvature);
      wipe(std::as_writable_bytes(std::span(row.data(), static_cast<std::size_t>(row.size()))));
    }
  });
  if (std::find(intact.begin(), intact.end(), 0) == intact.end()) return true;
  reset();
  return false;
}

// (ridge I + D G)^-1 r = (r - S P S G r) / ridge by Woodbury, which is S P S^-1 r, since P S G S = I - ridge P: no product with
// G where every curvature can be divided by.
Vector KeptHessians::dual_step(std::size_t k, const Matrix& gram, double ridge, const Vector& r) const {
  const Vector roots = curvatures_.col(static_cast<Index>(k)).cwiseSqrt();
  const UpdatableInverse& P = inverses_[k];
  if (roots.minCoeff() > kSmallestRoot * roots.maxCoeff()) return roots.cwiseProduct(P.times(r.cwiseQuotient(roots)).col(0));
  const Vector image = symmetric_product(gram, r).col(0);
  return (r - roots.cwiseProduct(P.times(roots.cwiseProduct(image)).col(0))) / ridge;
}

bool KeptHessians::refresh_lines(const Objective& objective, const Matrix& gram, std::size_t k, const Vector& curvatures) {
  const auto column = static_cast<Index>(k);
  // How much line i of the kept matrix is off in the measure of the matrix itself: the share its curvature has moved by, times
  // what the line weighs, 1 - ridge P_ii.
  std::vector<std::pair<double, Index>> stale;
  for (Index i = 0; i < curvatures.size(); ++i) {
    const double kept = curvatures_(i, column);
    const double moved = std::abs(curvatures(i) - kept);
    if (!(moved > kStaleShare * kept)) continue;
    const double weight = 1 - objective.ridge() * inverses_[k].diagonal(static_cast<std::size_t>(i));
    if (moved * weight > kStaleShare * kept) stale.emplace_back(-moved * weight / kept, i);
  }
  if (stale.empty()) return false;
  const auto count = std::min(stale.size(), kMostFreshLines);
  std::partial_sort(stale.begin(), stale.begin() + static_cast<std::ptrdiff_t>(count), stale.end());
  for (std::size_t s = 0; s < count; ++s) {
    const Index i = stale[s].second;
    const double kept = std::exchange(curvatures_(i, column), curvatures(i));
    const Vector line = dual_line(gram, curvatures_.col(column).cwiseSqrt(), i, objective.ridge());
    if (!inverses_[k].replace_line(static_cast<std::size_t>(i), line)) {
      curvatures_(i, column) = kept;
      return true;
    }
  }
  return true;
}

std::optional<Descent> KeptHessians::descend(const Objective& objective, const Matrix& gram, const Matrix& start,
                                             const Matrix& gradient, double tolerance) {
  invariant(ready(), "descend() needs kept Hessians");
  std::optional<Descent> descent = form_ == HessianForm::kDual ? descend_dual(objective, gram, start, gradient, tolerance)
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

std::optional<Descent> KeptHessians::descend_primal(const Objective& objective, const Matrix& start, const Matrix& gradient,
                                                    double tolerance) {
  Descent descent{start, {}, 0};
  descent.evaluation.gradient = gradient;
  const auto classes = static_cast<Index>(inverses_.size());
  Watch watch;
  while (true) {
    const Matrix g = std::move(descent.evaluation.gradient);
    Matrix steps(start.rows(), classes);
    for_each_class(objective, [&](std::size_t label) {
      const auto k = static_cast<Index>(label);
      steps.col(k) = -inverses_[label].times(g.col(k));
    });
    descent.weights += with_mirrored(steps, objective.classes());
    descent.evaluation = objective.evaluate(descent.weights);
    ++descent.steps;
    // What every step shows of the present Hessian stays for the removals to come; near the end it shows rounding errors only.
    for_each_class(objective, [&](std::size_t label) {
      const auto k = static_cast<Index>(label);
      const Vector change = descent.evaluation.gradient.col(k) - g.col(k);
      if (change.norm() > kTrusted * (tolerance + descent.evaluation.rounding(k))) inverses_[label].learn(steps.col(k), change);
    });
    const double norm = descent.evaluation.gradient.colwise().norm().maxCoeff();
    if (norm <= tolerance) return descent;
    if (!watch.goes_on(norm)) return std::nullopt;
  }
}

std::optional<Descent> KeptHessians::descend_dual(const Objective& objective, const Matrix& gram, const Matrix& start,
                                                  const Matrix& gradient, double tolerance) {
  const SparseBlockRows& Z = objective.rows();
  const auto classes = static_cast<Index>(inverses_.size());
  const double ridge = objective.ridge();
  const auto by_sign = [&](Matrix matrix) {
    objective.apply_signs(matrix);
    return matrix;
  };
  // The first step from w itself: with a = -s o l' / ridge at the margins of w, w = Z^T a - b / ridge + g / ridge, and
  // w - H^-1 g = Z^T (a + S P S Z g / ridge) - b / ridge by Woodbury.
  Matrix slopes;
  Matrix curvatures;
  objective.loss().derivatives(by_sign(product(Z, start.leftCols(classes), objective.threads())), slopes, curvatures);
  Matrix a = by_sign(std::move(slopes)) / -ridge;
  const Matrix seen = product(Z, gradient.leftCols(classes), objective.threads());
  const auto through = [&](Index k, const Vector& column) -> Vector {  // S P S column
    const Vector roots = curvatures_.col(k).cwiseSqrt();
    return roots.cwiseProduct(inverses_[static_cast<std::size_t>(k)].times(roots.cwiseProduct(column)).col(0));
  };
  for_each_class(objective, [&](std::size_t label) {
    const auto k = static_cast<Index>(label);
    a.col(k) += through(k, seen.col(k)) / ridge;
  });
  Matrix offset;  // -b / ridge
  Matrix of_offset = Matrix::Zero(a.rows(), classes);
  if (objective.perturbation() != nullptr) {
    offset = *objective.perturbation() / -ridge;
    of_offset = product(Z, offset, objective.threads());
  }
  const auto by_gram = [&](const Matrix& columns) -> Matrix { return symmetric_product(gram, columns, objective.threads()); };

  // |Z^T r|^2 = r.G r, up to rounding; the gradient itself is evaluated at the end.
  const auto norm_by_gram = [&](const Matrix& r, const Matrix& image) {
    return std::sqrt(std::max(0.0, r.cwiseProduct(image).colwise().sum().maxCoeff()));
  };

  Descent descent;
  descent.steps = 1;
  std::vector<AndersonMixing> mixing(inverses_.size());
  Watch watch;
  double norm_per_length = 0;
  while (true) {
    objective.loss().derivatives(by_sign(by_gram(a) + of_offset), slopes, curvatures);
    const Matrix r = by_sign(slopes) + ridge * a;
    // G r costs as much as everything else in a step.  Beyond the first it is only looked at where the end seems near.
    const double length = r.colwise().norm().maxCoeff();
    double norm = norm_per_length * length;
    if (!(norm > kNearTheEnd * tolerance)) {
      norm = norm_by_gram(r, by_gram(r));
      norm_per_length = norm / length;
    }
    if (norm <= tolerance) break;
    if (!watch.goes_on(norm)) return std::nullopt;
    for_each_class(objective, [&](std::size_t label) {
      const auto k = static_cast<Index>(label);
      if (descent.steps <= kFreshLineSteps && refresh_lines(objective, gram, label, curvatures.col(k))) mixing[label] = {};
      a.col(k) = mixing[label].next(a.col(k), -dual_step(label, gram, ridge, r.col(k)));
    });
    ++descent.steps;
  }
  Matrix W = transposed_product(Z, a, objective.threads());
  if (offset.size() != 0) W += offset;
  descent.weights = with_mirrored(std::move(W), objective.classes());
  descent.evaluation = objective.evaluate(descent.weights);
  return descent;
}

std::optional<Matrix> KeptHessians::solve(const Objective& objective, const Matrix& gram, std::span<const std::size_t> classes,
                                          const Matrix& curvatures, const Matrix& right_sides, double relative_residual) {
  ConjugateGradients solved = iterate(objective, gram, classes, curvatures, right_sides, relative_residual, kMostSteps);
  if (!solved.converged) {
    reset();
    return std::nullopt;
  }
  if (classes.size() == objective.classes()) {
    const std::size_t steps = std::max<std::size_t>(solved.iterations, 1);
    if (renewal_is_due(objective, steps)) (void)build(objective, gram, curvatures);
  }
  return std::move(solved.x);
}

ConjugateGradients KeptHessians::iterate(const Objective& objective, const Matrix& gram, std::span<const std::size_t> classes,
                                         const Matrix& curvatures, const Matrix& right_sides, double relative_residual,
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
    return roots.cwiseProduct(symmetric_product(gram, roots.cwiseProduct(columns), objective.threads())) + ridge * columns;
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
