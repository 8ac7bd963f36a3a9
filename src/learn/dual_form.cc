// The dual form: n x n matrices (docs/theory.md, "Steps with kept Hessians").
//
// A descent works with multipliers a instead of weights: w = Z^T a - b / ridge.  The gradient there is Z^T r with
// r = s o l'(margins) + ridge a.  The margins are s o (G a - Z b / ridge).  So a step works on n numbers per class
// instead of d, and it makes no pass over the rows.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "learn/anderson.h"
#include "learn/curvature_form.h"
#include "linalg/norms.h"
#include "linalg/row_products.h"
#include "linalg/wipe_matrix.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Below so many tolerances the norm of the gradient is computed.  Its estimate is not good enough to stop by.
constexpr double kNearTheEnd = 3;
// What the norm that G tells may use of the joint goal.  The rest is for the rounding of the evaluation at the end.
constexpr double kShareOfGoal = 0.75;
// The smallest root of a curvature, over the largest one, that is divided by.  Dividing by smaller ones would lose more
// than half of the digits.
constexpr double kSmallestRoot = 1e-6;
// A line of a kept matrix is renewed if it is off by more than this share.
constexpr double kStaleShare = 0.05;
// At most so many lines are renewed per step, since each costs two changes of rank one.
constexpr std::size_t kMostFreshLines = 4;
// Lines are renewed in the first steps only.  Later steps gain more from mixing, and mixing has to forget its past when
// a line changes.
constexpr std::size_t kFreshLineSteps = 2;

// Row and column i of M = ridge I + S G S, S = diag(roots).
Vector dual_line(const Matrix& gram, const Vector& roots, Index i, double ridge) {
  Vector line = roots(i) * gram.col(i).cwiseProduct(roots);
  line(i) += ridge;
  return line;
}

class DualForm final : public CurvatureForm {
 public:
  [[nodiscard]] HessianForm kind() const noexcept override { return HessianForm::kDual; }
  [[nodiscard]] std::size_t order(const Objective& objective) const noexcept override {
    return objective.rows().rows();
  }

  // A step reads G once or twice and the inverse once.  A build scales G and inverts the result.  An inverse counts as
  // eight Cholesky factors of n^3 / 3 operations.
  [[nodiscard]] CurvatureCost cost(const Objective& objective) const noexcept override {
    const auto n = static_cast<double>(objective.rows().rows());
    return {kVectorSlowness * (6 * n * n), n * n + 8 * n * n * n / 3, n * n + n * n * n / 3};
  }

  // A line of G is a product with all rows.  Without G all lines are made, half of each, and edited ones among them.
  [[nodiscard]] double make_cost(const Objective& objective) const noexcept override {
    return gram_.size() == 0 ? lines_cost(objective, static_cast<double>(objective.rows().rows()) / 2) : 0;
  }
  [[nodiscard]] double follow_cost(const Objective& objective, std::size_t edits) const noexcept override {
    return gram_.size() == 0 ? 0 : lines_cost(objective, static_cast<double>(edits));
  }

  // A factor costs an eighth of an inverse here, and the systems are small.  So exact steps are cheaper where there are
  // no inverses.
  [[nodiscard]] bool trains_inexactly_from_nothing() const noexcept override { return false; }

  void require(const Objective& objective) override {
    if (gram_.size() == 0) gram_ = gram(objective.rows(), objective.threads());
  }

  // Lines of G are computed from the rows that are there.  So nothing of `before` stays, not even rounding errors.
  void replace_rows(const Objective& objective, const UnseenRows::Known& before) override {
    if (gram_.size() == 0) return;
    std::vector<std::size_t> changed;
    changed.reserve(before.size());
    for (const auto& [i, row] : before) changed.push_back(i);
    refresh_gram_rows(objective.rows(), changed, gram_, objective.threads());
  }

  void resize_rows(std::size_t rows) override {
    if (gram_.size() == 0) return;
    const auto size = static_cast<Index>(rows);
    const Index common = std::min(size, gram_.rows());
    // An empty row is orthogonal to all others.
    Matrix resized = Matrix::Zero(size, size);
    resized.topLeftCorner(common, common) = gram_.topLeftCorner(common, common);
    wipe_matrix(gram_);
    gram_ = std::move(resized);
  }

  void wipe() noexcept override {
    wipe_matrix(gram_);
    gram_.resize(0, 0);
  }

  [[nodiscard]] double spectral_norm_upper_bound(const Objective& objective) override {
    require(objective);
    return spectral_norm_upper_bound_from_gram(gram_, objective.width());
  }

  // Single precision is taken where it is enough.  It halves the memory to read in every step.
  [[nodiscard]] std::optional<UpdatableInverse> invert(const Objective& objective, const Vector& D) const override {
    const Vector roots = D.cwiseSqrt();
    Matrix M = roots.asDiagonal() * gram_ * roots.asDiagonal();
    M.diagonal().array() += objective.ridge();
    return UpdatableInverse::of(std::move(M), InversePrecision::kSingleIfEnough);
  }

  [[nodiscard]] std::vector<std::optional<UpdatableInverse>> invert_shared(const Objective&,
                                                                           const Matrix&) const override {
    invariant(false, "ranks do not share rows in dual form");
    return {};
  }

  [[nodiscard]] Result<RegularisedHessian> factorise(const Objective& objective, const Vector& D) const override {
    return RegularisedHessian::dual(objective.rows(), gram_, D, objective.ridge());
  }

  [[nodiscard]] std::optional<NearbySolution> solve_nearby(const Objective& objective, const Matrix& factor,
                                                           const Vector& D, const Vector& right_side) const override {
    return nearby_dual_solve(factor, objective.rows(), gram_, D, objective.ridge(), right_side);
  }

  // An edited row is a line of M.  What stood there before is not needed to replace it (updatable_inverse.h).
  [[nodiscard]] bool fold_row(KeptInverses& kept, const Objective& objective, std::size_t i, const BlockRow&,
                              const Matrix& weights) const override {
    const BlockRow& after = objective.rows().row(i);
    const auto at = static_cast<Index>(i);
    std::vector<char> intact(kept.inverses.size(), 1);
    kept.for_each_class(objective, [&](std::size_t k) {
      const auto column = static_cast<Index>(k);
      kept.curvatures(at, column) = objective.loss().curvature(objective.sign(i, k) * dot(after, weights.col(column)));
      const Vector roots = kept.curvatures.col(column).cwiseSqrt();
      intact[k] = kept.inverses[k].replace_line(i, dual_line(gram_, roots, at, objective.ridge())) ? 1 : 0;
    });
    return std::find(intact.begin(), intact.end(), 0) == intact.end();
  }

  // H^-1 y = (y - Z^T S M^-1 S Z y) / ridge by Woodbury.  The iteration is with M, on n numbers per column.
  [[nodiscard]] ConjugateGradients iterate(const KeptInverses& kept, const Objective& objective,
                                           std::span<const std::size_t> classes, const Matrix& curvatures,
                                           const Matrix& right_sides, double relative_residual,
                                           std::size_t most_iterations) const override {
    const SparseBlockRows& Z = objective.rows();
    const double ridge = objective.ridge();
    const Matrix roots = curvatures.cwiseSqrt();
    const auto apply = [&](const Matrix& columns) -> Matrix {
      return roots.cwiseProduct(symmetric_product(gram_, roots.cwiseProduct(columns), objective.threads())) +
             ridge * columns;
    };
    const auto by_inverses = [&](const Matrix& columns) { return precondition(kept, objective, classes, columns); };
    ConjugateGradients solved =
        conjugate_gradients(apply, by_inverses, roots.cwiseProduct(product(Z, right_sides, objective.threads())),
                            relative_residual, most_iterations);
    solved.x = (right_sides - transposed_product(Z, roots.cwiseProduct(solved.x), objective.threads())) / ridge;
    return solved;
  }

  // iterate() ends with a difference that is divided by the ridge.  Digits that cancel in it are gone.
  [[nodiscard]] bool loses_digits() const noexcept override { return true; }

  [[nodiscard]] std::optional<Descent> descend(KeptInverses& kept, const Objective& objective, const Matrix& start,
                                               const Matrix& gradient, const DescentGoal& goal) const override;

 private:
  [[nodiscard]] static double lines_cost(const Objective& objective, double lines) noexcept {
    return 2 * lines * static_cast<double>(objective.rows().stored_values());
  }

  // The chord step for r: (ridge I + D G)^-1 r = (r - S P S G r) / ridge by Woodbury.  Since P S G S = I - ridge P,
  // this is also S P S^-1 r.  The second form needs no product with G and does not cancel.  It is taken where every
  // root of a curvature can be divided by.
  [[nodiscard]] Vector chord(const KeptInverses& kept, std::size_t k, double ridge, const Vector& r) const {
    const Vector roots = kept.curvatures.col(static_cast<Index>(k)).cwiseSqrt();
    const UpdatableInverse& P = kept.inverses[k];
    if (roots.minCoeff() > kSmallestRoot * roots.maxCoeff()) {
      return roots.cwiseProduct(P.times(r.cwiseQuotient(roots)).col(0));
    }
    const Vector image = symmetric_product(gram_, r).col(0);
    return (r - roots.cwiseProduct(P.times(roots.cwiseProduct(image)).col(0))) / ridge;
  }

  // Puts the present curvatures into the lines of M_k that are furthest off, and into P_k.  False if there was nothing
  // to do.
  [[nodiscard]] bool refresh_lines(KeptInverses& kept, const Objective& objective, std::size_t k,
                                   const Vector& curvatures) const;
  // The multipliers after the first step, which starts from weights and not from multipliers.
  [[nodiscard]] Matrix first_multipliers(const KeptInverses& kept, const Objective& objective, const Matrix& start,
                                         const Matrix& gradient) const;

  Matrix gram_;  // G; empty if it is not made
};

bool DualForm::refresh_lines(KeptInverses& kept, const Objective& objective, std::size_t k,
                             const Vector& curvatures) const {
  const auto column = static_cast<Index>(k);
  // How far line i of the kept matrix is off, in the measure of the matrix itself: the share by which its curvature has
  // moved, times the weight of the line, 1 - ridge P_ii (docs/theory.md, "Lines that are off").
  std::vector<std::pair<double, Index>> stale;
  for (Index i = 0; i < curvatures.size(); ++i) {
    const double old = kept.curvatures(i, column);
    const double moved = std::abs(curvatures(i) - old);
    // The weight is at most 1, so this test alone rules out most lines.  P_ii takes longer, because changes wait beside
    // P.
    if (!(moved > kStaleShare * old)) continue;
    const double weight = 1 - objective.ridge() * kept.inverses[k].diagonal(static_cast<std::size_t>(i));
    if (moved * weight > kStaleShare * old) stale.emplace_back(-moved * weight / old, i);
  }
  if (stale.empty()) return false;
  const auto count = std::min(stale.size(), kMostFreshLines);
  // Largest first, since the shares are negative.  Equal ones go by number, so the choice is always the same.
  std::partial_sort(stale.begin(), stale.begin() + static_cast<std::ptrdiff_t>(count), stale.end());
  for (std::size_t s = 0; s < count; ++s) {
    const Index i = stale[s].second;
    const double old = std::exchange(kept.curvatures(i, column), curvatures(i));
    const Vector line = dual_line(gram_, kept.curvatures.col(column).cwiseSqrt(), i, objective.ridge());
    if (!kept.inverses[k].replace_line(static_cast<std::size_t>(i), line)) {
      // The inverse may be spoilt now.  Nothing rests on it: the descent arrives all the same, or it is given up.
      kept.curvatures(i, column) = old;
      return true;
    }
  }
  return true;
}

// With a = -s o l' / ridge at the margins of w, w = Z^T a - b / ridge + g / ridge.  Woodbury's formula then gives
// w - H^-1 g = Z^T (a + S P S Z g / ridge) - b / ridge.
Matrix DualForm::first_multipliers(const KeptInverses& kept, const Objective& objective, const Matrix& start,
                                   const Matrix& gradient) const {
  const SparseBlockRows& Z = objective.rows();
  const auto classes = static_cast<Index>(kept.inverses.size());
  const double ridge = objective.ridge();
  Matrix margins = product(Z, start.leftCols(classes), objective.threads());
  // From weights to multipliers takes two passes over the rows: margins here, Z g below.  Later steps need none.
  objective.apply_signs(margins);
  Matrix a;
  Matrix curvatures;
  objective.loss().derivatives(margins, a, curvatures);
  objective.apply_signs(a);
  a /= -ridge;
  const Matrix seen = product(Z, gradient.leftCols(classes), objective.threads());
  kept.for_each_class(objective, [&](std::size_t label) {
    const auto k = static_cast<Index>(label);
    const Vector roots = kept.curvatures.col(k).cwiseSqrt();
    const Vector through = roots.cwiseProduct(kept.inverses[label].times(roots.cwiseProduct(seen.col(k))).col(0));
    a.col(k) += through / ridge;
  });
  return a;
}

std::optional<Descent> DualForm::descend(KeptInverses& kept, const Objective& objective, const Matrix& start,
                                         const Matrix& gradient, const DescentGoal& goal) const {
  const SparseBlockRows& Z = objective.rows();
  const auto classes = static_cast<Index>(kept.inverses.size());
  const double ridge = objective.ridge();
  const auto by_sign = [&](Matrix matrix) {
    objective.apply_signs(matrix);
    return matrix;
  };
  const auto by_gram = [&](const Matrix& columns) -> Matrix {
    return symmetric_product(gram_, columns, objective.threads());
  };
  // |Z^T r|^2 = r.G r.  Rounding may make it negative near the end.  It only says when to stop: the gradient itself is
  // evaluated at the end.
  const auto norm_by_gram = [&](const Matrix& r, const Matrix& image) {
    return goal.measure(r.cwiseProduct(image).colwise().sum().transpose().cwiseMax(0).cwiseSqrt());
  };
  // The rounding of the gradient is not known before the end, so the joint goal is not used up.
  const double tolerance = std::max(goal.each, kShareOfGoal * goal.joint);

  Matrix a = first_multipliers(kept, objective, start, gradient);
  // The part of w that b makes, -b / ridge, and its products with the rows.  Both are the same in every step.
  Matrix offset;
  Matrix of_offset = Matrix::Zero(a.rows(), classes);
  if (objective.perturbation() != nullptr) {
    offset = *objective.perturbation() / -ridge;
    of_offset = product(Z, offset, objective.threads());
  }

  Descent descent;
  descent.steps = 1;
  std::vector<AndersonMixing> mixing(kept.inverses.size());
  DescentWatch watch;
  Matrix slopes;
  Matrix curvatures;
  double norm_per_length = 0;  // 0 makes the first step compute the norm
  while (true) {
    objective.loss().derivatives(by_sign(by_gram(a) + of_offset), slopes, curvatures);
    const Matrix r = by_sign(slopes) + ridge * a;
    // G r costs as much as everything else in a step.  It is computed in the first step, and later only where the end
    // seems near.  In between |Z^T r| is taken to be in proportion to |r|.
    const double length = goal.measure(r.colwise().norm());
    double norm = norm_per_length * length;
    if (!(norm > kNearTheEnd * tolerance)) {
      norm = norm_by_gram(r, by_gram(r));
      norm_per_length = norm / length;
    }
    if (norm <= tolerance) break;
    if (!watch.goes_on(norm)) return std::nullopt;
    kept.for_each_class(objective, [&](std::size_t label) {
      const auto k = static_cast<Index>(label);
      const bool may_refresh = descent.steps <= kFreshLineSteps;
      if (may_refresh && refresh_lines(kept, objective, label, curvatures.col(k))) mixing[label] = {};
      a.col(k) = mixing[label].next(a.col(k), -chord(kept, label, ridge, r.col(k)));
    });
    ++descent.steps;
  }
  // Back to weights, by one pass over the rows.  A second pass evaluates them.
  Matrix W = transposed_product(Z, a, objective.threads());
  if (offset.size() != 0) W += offset;
  descent.weights = with_mirrored(std::move(W), objective.classes());
  descent.evaluation = objective.evaluate(descent.weights);
  return descent;
}

}  // namespace

std::unique_ptr<CurvatureForm> make_dual_form() { return std::make_unique<DualForm>(); }

}  // namespace unscatter
