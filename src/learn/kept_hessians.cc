#include "unscatter/learn/kept_hessians.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/anderson.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/parallel.h"
#include "unscatter/base/wipe.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

constexpr std::size_t kMostEntries = std::size_t{1} << 26;  // half a gigabyte
constexpr std::size_t kMostSteps = 25;
// How much longer an operation takes in products with vectors, which wait for memory, than in products of matrices.
constexpr double kSlowness = 8;
// Steps that leave more of the gradient than this are no progress; so many are waited for.
constexpr double kLeastProgress = 0.5;
constexpr std::size_t kMostIdleSteps = 2;

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

// Solutions of one system per column, and the iterations that the slowest took.
struct SideBySide {
  Matrix x;
  std::size_t iterations = 0;
};

// A column that has arrived is left alone; the others go on.
template <typename Apply, typename Precondition>
std::optional<SideBySide> conjugate_gradients(Apply apply, Precondition precondition, const Matrix& right_sides,
                                              double relative_residual) {
  SideBySide solution{Matrix::Zero(right_sides.rows(), right_sides.cols()), 0};
  const Vector target = relative_residual * right_sides.colwise().norm();
  Matrix residual = right_sides;
  Matrix direction;
  Vector product_before;
  while (true) {
    const Vector norms = residual.colwise().norm();
    if ((norms.array() <= target.array()).all()) return solution;
    if (solution.iterations == kMostSteps || !norms.allFinite()) return std::nullopt;
    const Matrix preconditioned = precondition(residual);
    const Vector product = residual.cwiseProduct(preconditioned).colwise().sum();
    if (solution.iterations == 0) {
      direction = preconditioned;
    } else {
      for (Index k = 0; k < direction.cols(); ++k) {
        const double share = product_before(k) > 0 ? product(k) / product_before(k) : 0;
        direction.col(k) = preconditioned.col(k) + share * direction.col(k);
      }
    }
    const Matrix image = apply(direction);
    for (Index k = 0; k < direction.cols(); ++k) {
      if (norms(k) <= target(k)) continue;
      const double curvature = direction.col(k).dot(image.col(k));
      if (!(curvature > 0) || !std::isfinite(product(k))) return std::nullopt;
      solution.x.col(k) += product(k) / curvature * direction.col(k);
      residual.col(k) -= product(k) / curvature * image.col(k);
    }
    product_before = product;
    ++solution.iterations;
  }
}

}  // namespace

void KeptHessians::reset() noexcept {
  for (UpdatableInverse& inverse : inverses_) inverse.wipe();
  inverses_.clear();
  wipe(std::as_writable_bytes(std::span(curvatures_.data(), static_cast<std::size_t>(curvatures_.size()))));
  fewest_steps_ = 0;
  wasted_ = 0;
}

bool KeptHessians::build(const Objective& objective, const Matrix& gram, const Matrix& curvatures) {
  reset();
  const Index classes = solved_classes(objective);
  const auto order = form_ == HessianForm::kDual ? objective.rows().rows() : objective.width();
  if (static_cast<std::size_t>(classes) * order * order > kMostEntries) return false;
  ++builds_;
  std::vector<std::optional<UpdatableInverse>> inverses(static_cast<std::size_t>(classes));
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
    inverses[k] = UpdatableInverse::of(std::move(H));
  });
  if (!std::all_of(inverses.begin(), inverses.end(), [](const auto& inverse) { return inverse.has_value(); })) return false;
  for (std::optional<UpdatableInverse>& inverse : inverses) inverses_.push_back(*std::move(inverse));
  curvatures_ = curvatures.leftCols(classes);
  return true;
}

bool KeptHessians::replace_row(const Objective& objective, const Matrix& gram, std::size_t i, const BlockRow& before,
                               const Matrix& weights) {
  invariant(ready(), "replace_row() needs kept Hessians");
  const BlockRow& after = objective.rows().row(i);
  const auto at = static_cast<Index>(i);
  for (std::size_t k = 0; k < inverses_.size(); ++k) {
    const auto column = static_cast<Index>(k);
    const double old_curvature = curvatures_(at, column);
    const double curvature = objective.loss().curvature(objective.sign(i, k) * dot(after, weights.col(column)));
    curvatures_(at, column) = curvature;
    bool intact = true;
    if (form_ == HessianForm::kDual) {
      intact = inverses_[k].replace_line(i, dual_line(gram, curvatures_.col(column).cwiseSqrt(), at, objective.ridge()));
    } else {
      // Up before down: the matrix in between is the larger one.
      const auto width = static_cast<Index>(objective.width());
      if (!after.values.empty()) intact = inverses_[k].add(dense_row(after, width), curvature);
      if (intact && !before.values.empty()) {
        Vector row = dense_row(before, width);
        intact = inverses_[k].add(row, -old_curvature);
        wipe(std::as_writable_bytes(std::span(row.data(), static_cast<std::size_t>(row.size()))));
      }
    }
    if (!intact) {
      reset();
      return false;
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
    renew_if_due(objective, gram, descent->steps, descent->evaluation.curvatures);
  } else {
    reset();
  }
  return descent;
}

std::optional<Descent> KeptHessians::descend_primal(const Objective& objective, const Matrix& start, const Matrix& gradient,
                                                    double tolerance) const {
  Descent descent{start, {}, 0};
  descent.evaluation.gradient = gradient;
  const auto classes = static_cast<Index>(inverses_.size());
  std::vector<AndersonMixing> mixing(inverses_.size());
  Watch watch;
  while (true) {
    const Matrix& g = descent.evaluation.gradient;
    Matrix W = descent.weights.leftCols(classes);
    for (Index k = 0; k < classes; ++k) {
      const auto label = static_cast<std::size_t>(k);
      W.col(k) = mixing[label].next(W.col(k), -inverses_[label].times(g.col(k)));
    }
    descent.weights = with_mirrored(std::move(W), objective.classes());
    descent.evaluation = objective.evaluate(descent.weights);
    ++descent.steps;
    const double norm = descent.evaluation.gradient.colwise().norm().maxCoeff();
    if (norm <= tolerance) return descent;
    if (!watch.goes_on(norm)) return std::nullopt;
  }
}

std::optional<Descent> KeptHessians::descend_dual(const Objective& objective, const Matrix& gram, const Matrix& start,
                                                  const Matrix& gradient, double tolerance) const {
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
  for (Index k = 0; k < classes; ++k) a.col(k) += through(k, seen.col(k)) / ridge;
  Matrix offset;  // -b / ridge
  Matrix of_offset = Matrix::Zero(a.rows(), classes);
  if (objective.perturbation() != nullptr) {
    offset = *objective.perturbation() / -ridge;
    of_offset = product(Z, offset, objective.threads());
  }
  const auto by_gram = [&gram](const Matrix& columns) -> Matrix { return multiply_square(gram, columns); };

  Descent descent;
  descent.steps = 1;
  std::vector<AndersonMixing> mixing(inverses_.size());
  Watch watch;
  while (true) {
    slopes.resize(0, 0);
    objective.loss().derivatives(by_sign(by_gram(a) + of_offset), slopes, curvatures);
    const Matrix r = by_sign(std::move(slopes)) + ridge * a;
    const Matrix image = by_gram(r);
    // |Z^T r|^2 = r.G r, up to rounding; the gradient itself is evaluated at the end.
    const double norm = std::sqrt(std::max(0.0, r.cwiseProduct(image).colwise().sum().maxCoeff()));
    if (norm <= tolerance) break;
    if (!watch.goes_on(norm)) return std::nullopt;
    // Woodbury: (ridge I + D G)^-1 r = (r - S P S G r) / ridge.
    for (Index k = 0; k < classes; ++k) {
      a.col(k) = mixing[static_cast<std::size_t>(k)].next(a.col(k), (through(k, image.col(k)) - r.col(k)) / ridge);
    }
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
  invariant(ready(), "solve() needs kept Hessians");
  invariant(static_cast<Index>(classes.size()) == right_sides.cols(), "one class per right side");
  const SparseBlockRows& Z = objective.rows();
  const double ridge = objective.ridge();
  const bool dual = form_ == HessianForm::kDual;
  const auto precondition = [&](const Matrix& columns) {
    Matrix result(columns.rows(), columns.cols());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto column = static_cast<Index>(c);
      result.col(column) = inverse(classes[c]).times(columns.col(column));
    }
    return result;
  };
  std::optional<SideBySide> solved;
  if (dual) {
    // H^-1 y = (y - Z^T S M^-1 S Z y) / ridge with M = ridge I + S G S.
    const Matrix roots = curvatures.cwiseSqrt();
    const auto apply = [&](const Matrix& columns) -> Matrix {
      return roots.cwiseProduct(multiply_square(gram, roots.cwiseProduct(columns))) + ridge * columns;
    };
    solved = conjugate_gradients(apply, precondition, roots.cwiseProduct(product(Z, right_sides, objective.threads())),
                                 relative_residual);
    if (solved) {
      solved->x = (right_sides - transposed_product(Z, roots.cwiseProduct(solved->x), objective.threads())) / ridge;
    }
  } else {
    const auto apply = [&](const Matrix& columns) -> Matrix {
      const Matrix weighted = curvatures.cwiseProduct(product(Z, columns, objective.threads()));
      return transposed_product(Z, weighted, objective.threads()) + ridge * columns;
    };
    solved = conjugate_gradients(apply, precondition, right_sides, relative_residual);
  }
  if (!solved) {
    reset();
    return std::nullopt;
  }
  if (classes.size() == objective.classes()) {
    renew_if_due(objective, gram, std::max<std::size_t>(solved->iterations, 1), curvatures);
  }
  return std::move(solved->x);
}

void KeptHessians::renew_if_due(const Objective& objective, const Matrix& gram, std::size_t steps, const Matrix& curvatures) {
  const auto n = static_cast<double>(objective.rows().rows());
  const auto d = static_cast<double>(objective.width());
  const auto classes = static_cast<double>(inverses_.size());
  const bool dual = form_ == HessianForm::kDual;
  const double step = kSlowness * classes * (dual ? 6 * n * n : 4 * n * d + 2 * d * d);
  const double build_cost = classes * (dual ? n * n + 8 * n * n * n / 3 : n * d * d + 8 * d * d * d / 3);
  if (fewest_steps_ == 0) fewest_steps_ = steps;
  fewest_steps_ = std::min(fewest_steps_, steps);
  wasted_ += static_cast<double>(steps - fewest_steps_) * step;
  if (wasted_ >= build_cost) (void)build(objective, gram, curvatures);
}

}  // namespace unscatter
