// Newton with systems solved just well enough [Nocedal06, Sec. 7.1], by conjugate gradients that kept inverses
// precondition.
//
// Newton's method makes a new factor of every class's Hessian in every step.  At weights of zero all classes have one
// Hessian; its inverse carries the first steps of all of them.  Where it no longer fits, new inverses are made, once or
// twice; and where steps have become so short that curvatures hardly move any more, the chord steps of KeptHessians
// finish.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "learn/line_search.h"
#include "learn/optimizers.h"
#include "linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

// A step that leaves at most this share of the smallest gradient so far is good without looking at values.
constexpr double kGoodShare = 0.9;
// Steps that move no margin by more than this leave curvatures within about a third; the next one will be far shorter.
constexpr double kShortStep = 0.3;
// Chord steps from there to the end, in iterations of a Newton step.
constexpr std::size_t kIterationsToTheEnd = 4;

// One class on its way.
struct ClassPath {
  double smallest = std::numeric_limits<double>::infinity();  // |gradient| so far
  std::size_t steps = 0;
};

class InexactNewton {
 public:
  InexactNewton(const Objective& objective, const Matrix& start, double tolerance, KeptHessians& kept,
                const Matrix& gram)
      : objective_(objective), tolerance_(tolerance), kept_(kept), gram_(gram), W_(start), paths_(objective.classes()) {
    mirrored_ = is_mirrored(objective, start);
    classes_.resize(mirrored_ ? 1 : objective.classes());
    std::iota(classes_.begin(), classes_.end(), std::size_t{0});
  }

  Result<TrainedWeights> run(std::size_t max_iterations, Stage& stage) {
    look();
    if (!kept_.ready() && !kept_.build(objective_, gram_, objective_.curvatures(margins_))) {
      return Error{ErrorCode::kNotConverged, "the Hessian has no inverse at working precision"};
    }
    std::size_t reported = 0;
    for (std::size_t iteration = 0;; ++iteration) {
      std::vector<std::size_t> active;
      for (const std::size_t k : classes_) {
        if (!(norm(k) <= tolerance_)) active.push_back(k);
      }
      if (active.empty()) {
        // Margins were updated along the way: what counts is what a fresh look finds.
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

  // One Newton step of the active classes.  Returns by how much it moved a margin at most; infinity if a class had to
  // go less than the whole way.
  Result<double> step(const std::vector<std::size_t>& active) {
    const Matrix curvatures = objective_.curvatures(margins_);
    if (!kept_.ready() || last_iterations_ >= kept_.steps_worth_a_build(objective_)) {
      if (!kept_.build(objective_, gram_, curvatures)) {
        return Error{ErrorCode::kNotConverged, "a Hessian has no inverse at working precision"};
      }
    }
    // Loose at first, tighter as the gradient falls, so that the last steps gain digits in proportion.
    double left = 0;
    for (const std::size_t k : active) left = std::max(left, norm(k) / first_norm(k));
    const double relative_residual = std::clamp(std::sqrt(left) / 10, 1e-3, 0.1);
    const ConjugateGradients solved =
        kept_.iterate(objective_, gram_, active, columns_of(curvatures, active), -columns_of(gradient_, active),
                      relative_residual, kept_.steps_worth_a_build(objective_));
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
    for (std::size_t c = 0; c < active.size(); ++c) move(c, 1);
    gradient_ = objective_.gradient(margins_, W_);
    double longest = signed_products.cwiseAbs().maxCoeff();
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
      if (t == 1) continue;
      move(c, t);
      again = true;
      longest = std::numeric_limits<double>::infinity();
    }
    if (again) gradient_ = objective_.gradient(margins_, W_);
    for (const std::size_t k : active) paths_[k].smallest = std::min(paths_[k].smallest, norm(k));
    return longest;
  }

  // Whether chord steps arrived.  They want inverses that fit; making them pays where the Newton steps to come would
  // cost more.
  bool finish_by_chords() {
    if (chords_failed_) return false;
    if (kIterationsToTheEnd * last_iterations_ > kept_.steps_worth_a_build(objective_)) {
      if (!kept_.build(objective_, gram_, objective_.curvatures(margins_))) return false;
    } else if (last_iterations_ > kIterationsToTheEnd) {
      return false;
    }
    if (mirrored_) {
      mirror(W_);
      mirror(gradient_);
    }
    std::optional<Descent> descent = kept_.descend(objective_, gram_, W_, gradient_, tolerance_);
    if (!descent) {
      chords_failed_ = true;
      return false;
    }
    W_ = std::move(descent->weights);
    gradient_ = std::move(descent->evaluation.gradient);
    for (const std::size_t k : classes_) paths_[k].steps += descent->steps;
    if (gradient_.colwise().norm().maxCoeff() <= tolerance_) return true;
    // In dual form the norm that chord steps go by is computed from the Gram matrix, and may be a little too small.
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
  KeptHessians& kept_;
  const Matrix& gram_;
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
                                      std::size_t max_iterations, KeptHessians& kept, const Matrix& gram,
                                      Progress* progress) {
  Stage stage(progress, objective.classes());
  return InexactNewton(objective, start, tolerance, kept, gram).run(max_iterations, stage);
}

}  // namespace unscatter
