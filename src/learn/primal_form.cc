// The primal form: d x d matrices (docs/theory.md, "Steps with kept Hessians").
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "learn/curvature_form.h"
#include "learn/row_square.h"
#include "linalg/row_pass.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"

namespace unscatter {
namespace {

using Eigen::Index;

// A change of the gradient tells about the Hessian only if it is this many times the rounding errors in it.  About two
// of its digits are then right.
constexpr double kTrusted = 100;
// The first gradient may be off by the present residual, of which this share of the goal is taken to be usual.
constexpr double kUnknown = 0.1;
// C is made anew after so many changes.  The bound on |Z| holds without this, because it accounts for what changes
// leave behind.  But it would grow slack.
constexpr std::size_t kMostSquareChanges = 1000;

// Those of row i that the inverses were made with.  Where another rank has the row, it tells all ranks.
Vector curvatures_of(const KeptInverses& kept, const SparseBlockRows& Z, std::size_t i) {
  Vector curvatures(kept.curvatures.cols());
  if (const auto place = Z.place_of(i)) curvatures = kept.curvatures.row(static_cast<Index>(*place)).transpose();
  if (const RowShare* share = Z.share()) {
    share->communicator->broadcast_numbers(std::span(curvatures.data(), static_cast<std::size_t>(curvatures.size())),
                                           rank_of_row(*share, i));
  }
  return curvatures;
}

class PrimalForm final : public CurvatureForm {
 public:
  [[nodiscard]] HessianForm kind() const noexcept override { return HessianForm::kPrimal; }
  [[nodiscard]] std::size_t order(const Objective& objective) const noexcept override { return objective.width(); }

  // A step passes over all rows twice (margins, gradient) and once over the inverse.  A build makes Z^T D Z and inverts
  // it.  The square is symmetric, so n d^2 operations are enough.  An inverse counts as eight Cholesky factors.
  [[nodiscard]] CurvatureCost cost(const Objective& objective) const noexcept override {
    const auto n = static_cast<double>(objective.rows().total_rows());
    const auto d = static_cast<double>(objective.width());
    return {kVectorSlowness * (4 * n * d + 2 * d * d), n * d * d + 8 * d * d * d / 3, n * d * d + d * d * d / 3};
  }
  [[nodiscard]] double make_cost(const Objective&) const noexcept override { return 0; }
  [[nodiscard]] double follow_cost(const Objective&, std::size_t) const noexcept override { return 0; }

  // At zero weights one inverse serves all classes.  Exact steps would factorise one matrix per class and step.
  [[nodiscard]] bool trains_inexactly_from_nothing() const noexcept override { return true; }

  void require(const Objective&) override {}  // C is made when somebody asks for |Z|

  void replace_rows(const Objective& objective, const UnseenRows::Known& before) override {
    if (!square_) return;
    for (const auto& [i, row] : before) square_->replace_row(row, objective.rows().row_of_all(i));
  }

  void resize_rows(std::size_t) override {}  // an empty row adds nothing to C

  void wipe() noexcept override {
    if (square_) square_->wipe();
    square_.reset();
  }

  [[nodiscard]] double spectral_norm_upper_bound(const Objective& objective) override {
    if (!square_ || square_->changes() > kMostSquareChanges) square_.emplace(objective.rows());
    return square_->spectral_norm_upper_bound();
  }

  [[nodiscard]] std::optional<UpdatableInverse> invert(const Objective& objective, const Vector& D) const override {
    // Unlike factorise(), this does not test whether the ridge is above the rounding errors.  An inverse that consists
    // of them leads nowhere, and the descent says so.
    Matrix H = weighted_square(objective.rows(), D);
    H.diagonal().array() += objective.ridge();
    return UpdatableInverse::of(std::move(H), InversePrecision::kDouble);
  }

  [[nodiscard]] std::vector<std::optional<UpdatableInverse>> invert_shared(const Objective& objective,
                                                                           const Matrix& D) const override {
    std::vector<Matrix> squares = shared_weighted_squares(objective.rows(), D, objective.threads());
    std::vector<std::optional<UpdatableInverse>> inverses(squares.size());
    parallel_for(squares.size(), objective.threads(), 1, [&](std::size_t k, std::size_t) {
      squares[k].diagonal().array() += objective.ridge();
      inverses[k] = UpdatableInverse::of(std::move(squares[k]), InversePrecision::kDouble);
    });
    return inverses;
  }

  [[nodiscard]] Result<RegularisedHessian> factorise(const Objective& objective, const Vector& D) const override {
    return RegularisedHessian::primal(objective.rows(), D, objective.ridge());
  }

  [[nodiscard]] std::optional<NearbySolution> solve_nearby(const Objective& objective, const Matrix& factor,
                                                           const Vector& D, const Vector& right_side) const override {
    return nearby_primal_solve(factor, objective.rows(), D, objective.ridge(), right_side);
  }

  // z z^T goes with its old curvature, z' z'^T comes with its new one: two changes of rank one.
  [[nodiscard]] bool fold_row(KeptInverses& kept, const Objective& objective, std::size_t i, const BlockRow& before,
                              const Matrix& weights) const override {
    const SparseBlockRows& Z = objective.rows();
    const BlockRow& after = Z.row_of_all(i);
    const std::uint32_t label = objective.label_of_all(i);
    Vector old_curvatures = curvatures_of(kept, Z, i);
    Matrix rows = edited_rows(before, after, objective.width());
    // Not vector<bool>: threads write neighbouring entries.
    std::vector<char> intact(kept.inverses.size(), 1);
    kept.for_each_class(objective, [&](std::size_t k) {
      const auto column = static_cast<Index>(k);
      const double sign = label == k ? 1.0 : -1.0;
      const double curvature = objective.loss().curvature(sign * dot(after, weights.col(column)));
      const double old_curvature = std::exchange(old_curvatures(column), curvature);
      // Up before down: the matrix in between is the larger one, so that the second change stays away from zero.
      intact[k] = kept.inverses[k].add(rows, Eigen::Vector2d(curvature, -old_curvature)) ? 1 : 0;
    });
    wipe_matrix(rows);  // one of them may be a row that goes
    // Those of now.
    if (const auto place = Z.place_of(i)) kept.curvatures.row(static_cast<Index>(*place)) = old_curvatures.transpose();
    return std::find(intact.begin(), intact.end(), 0) == intact.end();
  }

  [[nodiscard]] ConjugateGradients iterate(const KeptInverses& kept, const Objective& objective,
                                           std::span<const std::size_t> classes, const Matrix& curvatures,
                                           const Matrix& right_sides, double relative_residual,
                                           std::size_t most_iterations) const override {
    const auto apply = [&](const Matrix& columns) -> Matrix {
      return weighted_square_product(objective.rows(), curvatures, columns, objective.threads()) +
             objective.ridge() * columns;
    };
    const auto by_inverses = [&](const Matrix& columns) { return precondition(kept, objective, classes, columns); };
    return conjugate_gradients(apply, by_inverses, right_sides, relative_residual, most_iterations);
  }

  [[nodiscard]] bool loses_digits() const noexcept override { return false; }

  [[nodiscard]] std::optional<Descent> descend(KeptInverses& kept, const Objective& objective, const Matrix& start,
                                               const Matrix& gradient, const DescentGoal& goal) const override {
    // `gradient` may be off by the present residual.  This is enough for a direction, because the gradient is evaluated
    // wherever a step arrives.
    Descent descent{start, {}, 0};
    Matrix steps(start.rows(), static_cast<Index>(kept.inverses.size()));
    kept.for_each_class(objective, [&](std::size_t label) {
      const auto k = static_cast<Index>(label);
      steps.col(k) = kept.inverses[label].times(gradient.col(k));
    });
    descent.weights -= with_mirrored(steps, objective.classes());
    descent.evaluation = objective.evaluate(descent.weights);
    descent.steps = 1;
    Matrix before = gradient;
    DescentWatch watch;
    while (true) {
      const Matrix after = descent.evaluation.gradient;
      const Vector norms = after.colwise().norm();
      if (goal.reached(norms, descent.evaluation.rounding)) return descent;
      if (!watch.goes_on(goal.measure(norms))) return std::nullopt;
      // A step shows how the present Hessian acts along it.  The inverse learns this, for the next step and for the
      // removals to come.  Near the end the change of the gradient is rounding errors only, and there is nothing to
      // learn.  learn() returns P times the new gradient, so one pass over P serves learning and the next step.
      const double small = std::max(goal.each, kUnknown * goal.joint);
      const auto next = [&](std::size_t label) {
        const auto k = static_cast<Index>(label);
        const bool trusted =
            (after.col(k) - before.col(k)).norm() > kTrusted * (small + descent.evaluation.rounding(k));
        steps.col(k) = trusted ? kept.inverses[label].learn(steps.col(k), before.col(k), after.col(k))
                               : Vector(kept.inverses[label].times(after.col(k)));
      };
      ++descent.steps;
      if (kept.inverses.size() != objective.classes()) {  // mirrored
        next(0);
        descent.weights -= with_mirrored(steps, objective.classes());
        descent.evaluation = objective.evaluate(descent.weights);
        before = after;
        continue;
      }
      // Only classes that have not arrived go on.  The others keep their weights, and so what was evaluated there.
      const std::vector<std::size_t> open = goal.open_classes(norms);
      kept.for_each_of(objective, open, next);
      Matrix moved(start.rows(), static_cast<Index>(open.size()));
      for (std::size_t c = 0; c < open.size(); ++c) {
        const auto k = static_cast<Index>(open[c]);
        descent.weights.col(k) -= steps.col(k);
        moved.col(static_cast<Index>(c)) = descent.weights.col(k);
        before.col(k) = after.col(k);
      }
      const Evaluation found = objective.evaluate(moved, open);
      for (std::size_t c = 0; c < open.size(); ++c) {
        const auto k = static_cast<Index>(open[c]);
        descent.evaluation.gradient.col(k) = found.gradient.col(static_cast<Index>(c));
        descent.evaluation.rounding(k) = found.rounding(static_cast<Index>(c));
      }
    }
  }

 private:
  std::optional<RowSquare> square_;  // C
};

}  // namespace

std::unique_ptr<CurvatureForm> make_primal_form() { return std::make_unique<PrimalForm>(); }

Matrix precondition(const KeptInverses& kept, const Objective& objective, std::span<const std::size_t> classes,
                    const Matrix& columns) {
  Matrix result(columns.rows(), columns.cols());
  parallel_for(classes.size(), kept.worthwhile_threads_for(objective), 1, [&](std::size_t c, std::size_t) {
    result.col(static_cast<Index>(c)) = kept.of(classes[c]).times(columns.col(static_cast<Index>(c)));
  });
  return result;
}

}  // namespace unscatter
