// Newton with systems solved just well enough [Nocedal06, Sec. 7.1], by conjugate gradients that kept inverses
// precondition.
//
// Newton's method makes a new factor of every class's Hessian in every step.  This one makes inverses once or twice.
// At weights of zero all classes have the same Hessian, and its inverse carries the first steps of all of them.  New
// inverses are made where it no longer fits.  When steps have become so short that curvatures hardly move any more, the
// chord steps of Curvature finish.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "learn/line_search.h"
#include "learn/optimizers.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"

namespace unscatter {
namespace {

using Eigen::Index;

// A step that leaves at most this share of the smallest gradient so far is taken without a line search.
constexpr double kGoodShare = 0.9;
// A step that moves no margin by more than this is short.  For the logistic loss |l'''| <= l'', so l'' then changes by
// at most e^0.3 - 1, about a third.  The next step will be far shorter.
constexpr double kShortStep = 0.3;
// From a short step to the end it takes about so many Newton steps.  A step that needed more iterations than this had
// inverses that do not fit well enough for chord steps.
constexpr std::size_t kIterationsToTheEnd = 4;

// One class on its way.
struct ClassPath {
  double smallest = std::numeric_limits<double>::infinity();  // |gradient| so far
  std::size_t steps = 0;
};

class InexactNewton {
 public:
  InexactNewton(const Objective& objective, const Matrix& start, double tolerance, Curvature& curvature)
      : objective_(objective), tolerance_(tolerance), curvature_(curvature), W_(start), paths_(objective.classes()) {
    mirrored_ = is_mirrored(objective, start);
    classes_.resize(mirrored_ ? 1 : objective.classes());
    std::iota(classes_.begin(), classes_.end(), std::size_t{0});
  }

  Result<TrainedWeights> run(std::size_t max_iterations, Stage& stage) {
    look();
    if (!curvature_.has_inverses() && !curvature_.build_inverses(objective_, objective_.curvatures(margins_))) {
      return Error{ErrorCode::kNotConverged, "the Hessian has no inverse at working precision"};
    }
    std::size_t reported = 0;
    for (std::size_t iteration = 0;; ++iteration) {
      std::vector<std::size_t> active;
      for (const std::size_t k : classes_) {
        if (!(norm(k) <= tolerance_)) active.push_back(k);
      }
      if (active.empty()) {
        // Margins were updated along the way and have collected rounding errors.  What counts is what a fresh look
        // finds.
        look();
        if (std::all_of(classes_.begin(), classes_.end(), [&](std::size_t k) { return norm(k) <= tolerance_; })) break;
        continue;
      }
      const std::size_t arrived = classes_.size() - active.size();
      stage.advance(arrived - std::min(arrived, reported));
      reported = std::max(arrived, reported);
      if (iteration >= max_iterations)
        return not_converged(active.front(), norm(active.front()), tolerance_, iteration);
      UNSCATTER_TRY(longest, step(active));
      if (longest <= kShortStep && finish_by_chords()) break;
    }
    stage.advance(objective_.classes() - reported);
    return result();
  }

 private:
  [[nodiscard]] double norm(std::size_t k) const { return gradient_.col(static_cast<Index>(k)).norm(); }

  void look() {
    margins_ = objective_.margins(W_);
    gradient_ = objective_.gradient(margins_, W_);
    for (const std::size_t k : classes_) paths_[k].smallest = std::min(paths_[k].smallest, norm(k));
  }

  // One Newton step of the active classes.  Returns the largest distance by which it moved a margin, or infinity if a
  // class had to go less than the whole way.
  Result<double> step(const std::vector<std::size_t>& active) {
    const Matrix curvatures = objective_.curvatures(margins_);
    // The last step needed as many iterations as new inverses would cost.  The next one would need no fewer.
    if (!curvature_.has_inverses() || last_iterations_ >= curvature_.cost(objective_).steps_worth_a_build()) {
      if (!curvature_.build_inverses(objective_, curvatures)) {
        return Error{ErrorCode::kNotConverged, "a Hessian has no inverse at working precision"};
      }
    }
    // Loose at first, tighter as the gradient falls.  A share that falls like the root of the gradient makes the steps
    // gain more and more digits [Nocedal06, Sec. 7.1].
    double left = 0;
    for (const std::size_t k : active) left = std::max(left, norm(k) / first_norm(k));
    const double relative_residual = std::clamp(std::sqrt(left) / 10, 1e-3, 0.1);
    const ConjugateGradients solved =
        curvature_.iterate(objective_, active, columns_of(curvatures, active), -columns_of(gradient_, active),
                           relative_residual, curvature_.cost(objective_).steps_worth_a_build());
    last_iterations_ = solved.iterations;
    if (!solved.x.allFinite()) return Error{ErrorCode::kNotConverged, "a Newton step is not finite"};

    Matrix products = product(objective_.rows(), solved.x, objective_.threads());
    for (std::size_t c = 0; c < active.size(); ++c) {
      for (Index i = 0; i < products.rows(); ++i) {
        products(i, static_cast<Index>(c)) *= objective_.sign(static_cast<std::size_t>(i), active[c]);
      }
    }
    return go(active, solved.x, products);
  }

  Result<double> go(const std::vector<std::size_t>& active, const Matrix& steps, const Matrix& signed_products) {
    const Matrix before = gradient_;
    const Matrix old_margins = margins_;
    const Matrix old_weights = W_;
    const auto move = [&](std::size_t c, double t) {
      const auto k = static_cast<Index>(active[c]);
      W_.col(k) = old_weights.col(k) + t * steps.col(static_cast<Index>(c));
      margins_.col(k) = old_margins.col(k) + t * signed_products.col(static_cast<Index>(c));
    };
    // All classes go the whole way first, so that one gradient serves all.  Most steps are good, and no value is
    // computed.
    for (std::size_t c = 0; c < active.size(); ++c) move(c, 1);
    gradient_ = objective_.gradient(margins_, W_);
    double longest = signed_products.size() == 0 ? 0 : signed_products.cwiseAbs().maxCoeff();
    longest = largest_of_all(objective_.rows().share(), longest);
    bool again = false;
    for (std::size_t c = 0; c < active.size(); ++c) {
      const std::size_t k = active[c];
      const auto column = static_cast<Index>(k);
      ++paths_[k].steps;
      if (norm(k) <= kGoodShare * paths_[k].smallest) continue;
      const auto of_step = static_cast<Index>(c);
      const double slope = before.col(column).dot(steps.col(of_step));
      const double t = line_search(objective_, k, old_margins.col(column), signed_products.col(of_step),
                                   old_weights.col(column), steps.col(of_step), slope);
      if (t == 0) return not_converged(k, before.col(column).norm(), tolerance_, paths_[k].steps);
      // The value fell enough although the gradient did not.  The whole step stands.
      if (t == 1) continue;
      move(c, t);
      again = true;
      // A shortened step says nothing about the next one, so it must not start the chord steps.
      longest = std::numeric_limits<double>::infinity();
    }
    if (again) gradient_ = objective_.gradient(margins_, W_);
    for (const std::size_t k : active) paths_[k].smallest = std::min(paths_[k].smallest, norm(k));
    return longest;
  }

  // Whether chord steps arrived.  They need inverses that fit.  The iterations of the last step tell how well the
  // present ones do: few iterations mean a good fit.  Making new ones pays where the Newton steps to come would cost
  // more.
  bool finish_by_chords() {
    if (chords_failed_) return false;
    if (kIterationsToTheEnd * last_iterations_ > curvature_.cost(objective_).steps_worth_a_build()) {
      if (!curvature_.build_inverses(objective_, objective_.curvatures(margins_))) return false;
    } else if (last_iterations_ > kIterationsToTheEnd) {
      // The inverses do not fit well enough, and new ones do not pay.  Newton steps go on.
      return false;
    }
    // Chord steps take all classes, also the one that was not solved.
    if (mirrored_) {
      mirror(W_);
      mirror(gradient_);
    }
    std::optional<Descent> descent = curvature_.descend(objective_, W_, gradient_, {.each = tolerance_});
    if (!descent) {
      chords_failed_ = true;
      return false;
    }
    W_ = std::move(descent->weights);
    gradient_ = std::move(descent->evaluation.gradient);
    for (const std::size_t k : classes_) paths_[k].steps += descent->steps;
    if (gradient_.colwise().norm().maxCoeff() <= tolerance_) return true;
    // In dual form chord steps stop by a norm that is computed from G.  It may be a little too small.
    look();
    return false;
  }

  static void mirror(Matrix& matrix) { matrix.col(1) = -matrix.col(0); }

  double first_norm(std::size_t k) {
    if (first_norms_.size() == 0) first_norms_ = gradient_.colwise().norm();
    return first_norms_(static_cast<Index>(k));
  }

  TrainedWeights result() {
    if (mirrored_) {
      mirror(W_);
      mirror(gradient_);
      paths_[1] = paths_[0];
    }
    TrainedWeights trained{std::move(W_), gradient_.colwise().norm(), {}};
    for (const ClassPath& path : paths_) trained.iterations.push_back(path.steps);
    return trained;
  }

  const Objective& objective_;
  double tolerance_;
  Curvature& curvature_;
  Matrix W_;
  Matrix margins_;
  Matrix gradient_;
  std::vector<ClassPath> paths_;
  bool mirrored_ = false;
  std::vector<std::size_t> classes_;  // those that are solved
  Vector first_norms_;
  std::size_t last_iterations_ = 0;  // of conjugate gradients
  bool chords_failed_ = false;
};

}  // namespace

Result<TrainedWeights> inexact_newton(const Objective& objective, const Matrix& start, double tolerance,
                                      std::size_t max_iterations, Curvature& curvature, Progress* progress) {
  Stage stage(progress, objective.classes());
  return InexactNewton(objective, start, tolerance, curvature).run(max_iterations, stage);
}

}  // namespace unscatter
