// The descent of KeptHessians in dual form (docs/theory.md, "Steps with kept Hessians").
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "learn/anderson.h"
#include "learn/kept_descent.h"
#include "linalg/row_products.h"
#include "unscatter/learn/kept_hessians.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Norms are computed, not estimated, below so many tolerances.
constexpr double kNearTheEnd = 3;
// Roots of curvatures, over the largest, that can be divided by without losing more than half of the digits.
constexpr double kSmallestRoot = 1e-6;
// Lines of a dual matrix are renewed one by one where they are off by more than this; so many at a time.
constexpr double kStaleShare = 0.05;
constexpr std::size_t kMostFreshLines = 4;
// Later steps gain more from mixing, which has to forget its past when a line changes.
constexpr std::size_t kFreshLineSteps = 2;

}  // namespace

// (ridge I + D G)^-1 r = (r - S P S G r) / ridge by Woodbury, which is S P S^-1 r, since P S G S = I - ridge P: no
// product with G where every curvature can be divided by.
Vector KeptHessians::dual_step(std::size_t k, const Matrix& gram, double ridge, const Vector& r) const {
  const Vector roots = curvatures_.col(static_cast<Index>(k)).cwiseSqrt();
  const UpdatableInverse& P = inverses_[k];
  if (roots.minCoeff() > kSmallestRoot * roots.maxCoeff())
    return roots.cwiseProduct(P.times(r.cwiseQuotient(roots)).col(0));
  const Vector image = symmetric_product(gram, r).col(0);
  return (r - roots.cwiseProduct(P.times(roots.cwiseProduct(image)).col(0))) / ridge;
}

bool KeptHessians::refresh_lines(const Objective& objective, const Matrix& gram, std::size_t k,
                                 const Vector& curvatures) {
  const auto column = static_cast<Index>(k);
  // How much line i of the kept matrix is off in the measure of the matrix itself: the share its curvature has moved
  // by, times what the line weighs, 1 - ridge P_ii.
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
  const auto by_gram = [&](const Matrix& columns) -> Matrix {
    return symmetric_product(gram, columns, objective.threads());
  };

  // |Z^T r|^2 = r.G r, up to rounding; the gradient itself is evaluated at the end.
  const auto norm_by_gram = [&](const Matrix& r, const Matrix& image) {
    return std::sqrt(std::max(0.0, r.cwiseProduct(image).colwise().sum().maxCoeff()));
  };

  Descent descent;
  descent.steps = 1;
  std::vector<AndersonMixing> mixing(inverses_.size());
  DescentWatch watch;
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
      if (descent.steps <= kFreshLineSteps && refresh_lines(objective, gram, label, curvatures.col(k)))
        mixing[label] = {};
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

}  // namespace unscatter
