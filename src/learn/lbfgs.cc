// L-BFGS by LBFGS++, with a line search that looks at gradients only.
//
// A search that compares values fails early.  Values near L carry an error of eta L, eta the unit roundoff.  This hides
// any further decrease at a gradient norm near sqrt(eta L ridge), far above what is asked for here.  Along a line the
// objective is convex, so its derivative rises.  The derivative alone says where the minimum is, and its error is that
// of the gradient.
#include <LBFGS.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "learn/optimizers.h"
#include "linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

// The gradient of one class, as LBFGS++ calls it.  It counts the searches.  It remembers the point where it was
// smallest, because a search that fails leaves LBFGS++ at its last trial, which may be worse than where it began.
class ClassGradient {
 public:
  ClassGradient(const Objective& objective, std::size_t label) : objective_(objective), label_(label) {}

  // Returns the value, which nothing here looks at: always 0.
  double operator()(const Vector& w, Vector& gradient) {
    Matrix margins = product(objective_.rows(), w, objective_.threads());
    const auto sign = [this](Index i) { return objective_.sign(static_cast<std::size_t>(i), label_); };
    for (Index i = 0; i < margins.size(); ++i) margins(i) *= sign(i);
    Matrix slopes;
    Matrix curvatures;
    objective_.loss().derivatives(margins, slopes, curvatures);
    for (Index i = 0; i < slopes.size(); ++i) slopes(i) *= sign(i);
    gradient = transposed_product(objective_.rows(), slopes, objective_.threads());
    gradient += objective_.ridge() * w;
    if (objective_.perturbation() != nullptr) gradient += objective_.perturbation()->col(static_cast<Index>(label_));
    if (const double norm = gradient.norm(); norm < best_norm_) {
      best_norm_ = norm;
      best_point_ = w;
    }
    return 0;
  }

  [[nodiscard]] const Vector& best_point() const { return best_point_; }
  [[nodiscard]] double best_norm() const { return best_norm_; }
  [[nodiscard]] std::size_t searches() const { return searches_; }
  void count_search() { ++searches_; }

 private:
  const Objective& objective_;
  std::size_t label_;
  Vector best_point_;
  double best_norm_ = std::numeric_limits<double>::infinity();
  std::size_t searches_ = 0;
};

// The approximate Wolfe conditions [Hager05] on the derivative phi' along the line,
//
//   0.9 phi'(0) <= phi'(t) <= 0.8 |phi'(0)|.
//
// On a parabola they are the usual ones with a sufficient decrease of 0.1.  The search widens a bracket and then cuts
// it.
template <typename Scalar>
class GradientLineSearch {
 public:
  // LBFGS++ wants this name.  NOLINTNEXTLINE(readability-identifier-naming)
  static void LineSearch(ClassGradient& f, Scalar& /*value*/, Vector& x, Vector& gradient, Scalar& step,
                         const Vector& direction, const Vector& start, const LBFGSpp::LBFGSParam<Scalar>& param) {
    f.count_search();
    const Scalar first = gradient.dot(direction);
    if (!(first < 0)) throw std::runtime_error("not a direction of descent: rounding errors have taken over");
    Scalar low = 0, low_slope = first;
    Scalar high = std::numeric_limits<Scalar>::infinity(), high_slope = high;
    for (int trial = 0; trial < param.max_linesearch; ++trial) {
      x.noalias() = start + step * direction;
      (void)f(x, gradient);
      const Scalar slope = gradient.dot(direction);
      if (slope < Scalar(0.9) * first) {
        low = step;
        low_slope = slope;
      } else if (slope <= Scalar(-0.8) * first) {
        return;
      } else {  // too far, or not a number
        high = step;
        high_slope = slope;
      }
      if (std::isinf(high)) {
        step *= 4;
      } else {
        // Where the chord of phi' is 0.  It is kept away from the ends, so that the bracket shrinks in any case.
        const Scalar share = low_slope / (low_slope - high_slope);
        step = low + (high - low) * (std::isfinite(share) ? std::clamp(share, Scalar(0.1), Scalar(0.9)) : Scalar(0.1));
      }
    }
    throw std::runtime_error("no step length found");
  }
};

struct ClassResult {
  Vector weights;
  double gradient_norm = std::numeric_limits<double>::infinity();
  std::size_t iterations = 0;
};

ClassResult minimise(const Objective& objective, std::size_t label, const Vector& start, double tolerance,
                     std::size_t max_iterations) {
  ClassResult result{start, std::numeric_limits<double>::infinity(), 0};
  // Where a search fails, a new start without the history may still find a way down.  At the floor of rounding errors
  // it does not, so three starts without real progress are the end.
  for (int failures = 0; failures < 3 && result.iterations < max_iterations;) {
    LBFGSpp::LBFGSParam<double> parameters;
    parameters.m = 20;
    parameters.epsilon = tolerance;
    // The tolerance is absolute.  LBFGS++ would also stop at a share of |x|.
    parameters.epsilon_rel = 0;
    parameters.max_iterations =
        static_cast<int>(std::min<std::size_t>(max_iterations - result.iterations, std::numeric_limits<int>::max()));
    parameters.max_linesearch = 60;
    LBFGSpp::LBFGSSolver<double, GradientLineSearch> solver(parameters);
    ClassGradient gradient(objective, label);
    Vector x = result.weights;
    double unused_value = 0;
    try {
      (void)solver.minimize(gradient, x, unused_value);
    } catch (const std::runtime_error&) {  // from the line search
    }
    result.iterations += gradient.searches();
    failures = gradient.best_norm() < result.gradient_norm / 2 ? 0 : failures + 1;
    if (gradient.best_norm() < result.gradient_norm) {
      result.gradient_norm = gradient.best_norm();
      result.weights = gradient.best_point();
    }
    if (result.gradient_norm <= tolerance) break;
  }
  return result;
}

}  // namespace

Result<TrainedWeights> train_lbfgs(const Objective& objective, const Matrix& start, const TrainOptions& options) {
  const double tolerance = *options.gradient_tolerance;
  const std::size_t K = objective.classes();
  TrainedWeights trained{start, Vector::Zero(static_cast<Index>(K)), std::vector<std::size_t>(K, 0)};
  Stage stage(options.progress, K);
  for (std::size_t k = 0; k < K; ++k) {
    const auto column = static_cast<Index>(k);
    const ClassResult result = minimise(objective, k, start.col(column), tolerance, options.max_iterations);
    if (!(result.gradient_norm <= tolerance))
      return not_converged(k, result.gradient_norm, tolerance, result.iterations);
    trained.weights.col(column) = result.weights;
    trained.gradient_norms(column) = result.gradient_norm;
    trained.iterations[k] = result.iterations;
    stage.advance(1);
  }
  return trained;
}

}  // namespace unscatter
