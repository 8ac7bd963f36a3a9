#include "learn/row_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "learn/kept_inverses.h"
#include "learn/line_search.h"
#include "learn/optimizers.h"
#include "linalg/compact_rows.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/row_pass.h"
#include "linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

// A system may leave this share of the joint goal over.  The rest is for what is beyond the linear system: curvatures
// that change along the step.
constexpr double kLeftOver = 0.4;
// A step that leaves at most this share of the smallest gradient so far is taken without a line search.
constexpr double kGoodDescentShare = 0.9;

// The Newton systems (Z^T D Z + ridge I) x = r of some classes, solved over the rows.
//
// Nothing preconditions them.  The Hessian of bounded rows has few eigenvalues above the ridge and the others near it,
// which is what conjugate gradients like.  A diagonal brings the small columns up to the large ones and spoils that: it
// took three to five times as many passes on IMDB-BINARY, NCI1, MUTAG and PROTEINS with the default embedding.
class RowSystems {
 public:
  explicit RowSystems(const Objective& objective) : objective_(objective) {
    if (CompactRows::pay(objective.rows())) compact_.emplace(objective.rows());
  }

  [[nodiscard]] ConjugateGradients solve(const Matrix& D, const Matrix& right_sides, const Vector& target,
                                         std::size_t most_passes) const {
    const double ridge = objective_.ridge();
    const std::size_t threads = objective_.threads();
    const auto unchanged = [](const Matrix& columns) -> const Matrix& { return columns; };
    if (!compact_) {
      const auto apply = [&](const Matrix& X) -> Matrix {
        return weighted_square_product(objective_.rows(), D, X, threads) + ridge * X;
      };
      return conjugate_gradients(apply, unchanged, right_sides, target, most_passes);
    }
    const auto apply = [&](const Matrix& X) -> Matrix {
      return compact_->weighted_square_product(D, X, threads) + ridge * X;
    };
    ConjugateGradients found =
        conjugate_gradients(apply, unchanged, compact_->gathered(right_sides), target, most_passes);
    // A column that no row has knows the ridge alone.
    Matrix x = right_sides / ridge;
    compact_->spread(found.x, x);
    found.x = std::move(x);
    return found;
  }

 private:
  const Objective& objective_;
  std::optional<CompactRows> compact_;
};

// Evaluates the classes that were moved; those that were not keep what was evaluated there.
void evaluate_moved(const Objective& objective, const std::vector<std::size_t>& open, bool mirrored, Descent& descent) {
  if (mirrored) descent.weights.col(1) = -descent.weights.col(0);
  if (descent.evaluation.gradient.size() == 0 || mirrored) {
    descent.evaluation = objective.evaluate(descent.weights);
    return;
  }
  const Evaluation found = objective.evaluate(columns_of(descent.weights, open), open);
  for (std::size_t c = 0; c < open.size(); ++c) {
    const auto k = static_cast<Index>(open[c]);
    descent.evaluation.gradient.col(k) = found.gradient.col(static_cast<Index>(c));
    descent.evaluation.rounding(k) = found.rounding(static_cast<Index>(c));
  }
}

}  // namespace

std::optional<RowDescent> descend_by_rows(const Objective& objective, const Matrix& start, const Matrix& gradient,
                                          const DescentGoal& goal, std::size_t most_passes) {
  const SparseBlockRows& Z = objective.rows();
  const std::size_t solved = solved_classes(objective);
  const bool mirrored = solved != objective.classes();
  RowDescent result{{start, {}, 0}, 1};
  Descent& descent = result.descent;
  Matrix margins = objective.margins(start);
  const RowSystems systems(objective);
  Matrix known = gradient;
  Vector norms = known.colwise().norm();
  double smallest = std::numeric_limits<double>::infinity();
  while (true) {
    std::vector<std::size_t> open = goal.open_classes(norms.head(static_cast<Index>(solved)));
    if (open.empty()) open = {0};  // what is left belongs to rounding, or to the mirror image
    const Matrix D = columns_of(objective.curvatures(margins), open);
    const double each = std::max(goal.each, goal.joint / std::sqrt(static_cast<double>(objective.classes())));
    const Vector target = Vector::Constant(static_cast<Index>(open.size()), kLeftOver * each);
    const std::size_t left = most_passes - std::min(most_passes, result.passes);
    const ConjugateGradients step = systems.solve(D, -columns_of(known, open), target, left);
    result.passes += step.iterations;
    if (!step.x.allFinite()) return std::nullopt;
    const Matrix before = descent.weights;
    const auto move = [&](std::size_t c, double t) {
      const auto k = static_cast<Index>(open[c]);
      descent.weights.col(k) = before.col(k) + t * step.x.col(static_cast<Index>(c));
    };
    for (std::size_t c = 0; c < open.size(); ++c) move(c, 1);
    evaluate_moved(objective, open, mirrored, descent);
    ++descent.steps;
    ++result.passes;
    norms = descent.evaluation.gradient.colwise().norm();
    if (goal.reached(norms, descent.evaluation.rounding)) return result;
    if (result.passes >= most_passes || descent.steps >= kMostDescentSteps) return std::nullopt;

    // One more step is needed.  Margins follow by products with the step.
    Matrix products = product(Z, step.x, objective.threads());
    ++result.passes;
    for (std::size_t c = 0; c < open.size(); ++c) {
      for (Index i = 0; i < products.rows(); ++i) {
        products(i, static_cast<Index>(c)) *= objective.sign(static_cast<std::size_t>(i), open[c]);
      }
    }
    // A step that leaves a gradient as large as the smallest so far went too far: curvatures changed along it.
    const bool too_far = !(goal.measure(norms) <= kGoodDescentShare * smallest);
    for (std::size_t c = 0; c < open.size(); ++c) {
      const auto k = static_cast<Index>(open[c]);
      const auto column = static_cast<Index>(c);
      double t = 1;
      if (too_far) {
        const double slope = known.col(k).dot(step.x.col(column));
        t = line_search(objective, open[c], margins.col(k), products.col(column), before.col(k), step.x.col(column),
                        slope);
        if (t == 0) return std::nullopt;
        move(c, t);
      }
      margins.col(k) += t * products.col(column);
    }
    if (mirrored) margins.col(1) = margins.col(0);
    if (too_far) {
      evaluate_moved(objective, open, mirrored, descent);
      ++result.passes;
      norms = descent.evaluation.gradient.colwise().norm();
      if (goal.reached(norms, descent.evaluation.rounding)) return result;
    }
    smallest = std::min(smallest, goal.measure(norms));
    known = descent.evaluation.gradient;
  }
}

}  // namespace unscatter
