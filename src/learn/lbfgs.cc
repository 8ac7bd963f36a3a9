// L-BFGS by LBFGS++.
//
// A line search compares objective values, and values near L carry an absolute error of u L: the search then fails at a
// gradient norm near sqrt(u L ridge), far above what is asked for here.  So the search runs on the change from an origin w_0,
// which is computed without cancellation, and where it fails the origin moves to the best point found: the remaining change is
// then small and known with full relative accuracy again.
#include <LBFGS.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "learn/optimizers.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

// L_k(w_0 + scale x) - L_k(w_0) and its gradient in x.  Remembers the point of smallest gradient.
class ShiftedObjective {
 public:
  ShiftedObjective(const Objective& objective, std::size_t label, const Vector& origin, double scale)
      : objective_(objective), label_(label), origin_(origin), scale_(scale), best_point_(origin) {
    margins_ = signed_products(origin);
  }

  double operator()(const Vector& x, Vector& gradient) {
    ++evaluations_;
    const Vector shift = scale_ * x;
    const Vector products = signed_products(shift);
    const Vector point = origin_ + shift;
    Vector slopes = margins_ + products;
    for (Index i = 0; i < slopes.size(); ++i) {
      slopes(i) = objective_.loss().slope(slopes(i)) * objective_.sign(static_cast<std::size_t>(i), label_);
    }
    gradient = transposed_product(objective_.rows(), slopes, objective_.threads());
    gradient += objective_.ridge() * point;
    if (objective_.perturbation() != nullptr) gradient += objective_.perturbation()->col(static_cast<Index>(label_));
    const double norm = gradient.norm();
    if (norm < best_norm_) {
      best_norm_ = norm;
      best_point_ = point;
    }
    gradient *= scale_;
    return objective_.change(label_, margins_, products, origin_, shift, 1);
  }

  [[nodiscard]] const Vector& best_point() const { return best_point_; }
  [[nodiscard]] double best_norm() const { return best_norm_; }
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

 private:
  [[nodiscard]] Vector signed_products(const Vector& w) const {
    Vector products = product(objective_.rows(), w, objective_.threads());
    for (Index i = 0; i < products.size(); ++i) products(i) *= objective_.sign(static_cast<std::size_t>(i), label_);
    return products;
  }

  const Objective& objective_;
  std::size_t label_;
  Vector origin_;
  double scale_;
  Vector margins_;
  Vector best_point_;
  double best_norm_ = INFINITY;
  std::size_t evaluations_ = 0;
};

struct ClassResult {
  Vector weights;
  double gradient_norm = INFINITY;
  std::size_t iterations = 0;
};

ClassResult minimise(const Objective& objective, std::size_t label, const Vector& start, double tolerance,
                     std::size_t max_iterations) {
  // No curvature is above this, so a first step of |gradient| / steepest does not overshoot.
  double steepest = objective.ridge();
  for (std::size_t i = 0; i < objective.rows().rows(); ++i) {
    steepest += objective.loss().curvature_bound() * squared_norm(objective.rows().row(i));
  }
  ClassResult result{start, INFINITY, 0};
  int failures = 0;
  while (failures < 3 && result.iterations < max_iterations) {
    // LBFGS++ begins with a step of length 1, so x is measured in units of a safe first step.
    ShiftedObjective probe(objective, label, result.weights, 1);
    Vector gradient;
    (void)probe(Vector::Zero(start.size()), gradient);
    result.gradient_norm = gradient.norm();
    if (result.gradient_norm <= tolerance) break;
    const double scale = result.gradient_norm / steepest;
    if (!(scale > 0) || !std::isfinite(scale)) break;

    ShiftedObjective shifted(objective, label, result.weights, scale);
    LBFGSpp::LBFGSParam<double> parameters;
    parameters.m = 20;
    parameters.epsilon = tolerance * scale;
    parameters.epsilon_rel = 0;
    parameters.max_iterations = static_cast<int>(max_iterations - result.iterations);
    parameters.max_linesearch = 60;
    LBFGSpp::LBFGSSolver<double> solver(parameters);
    Vector x = Vector::Zero(start.size());
    double change = 0;
    const double before = result.gradient_norm;
    try {
      result.iterations += static_cast<std::size_t>(solver.minimize(shifted, x, change));
    } catch (const std::exception&) {  // the library's way to say that a line search failed
      result.iterations += shifted.evaluations();
    }
    result.weights = shifted.best_point();
    result.gradient_norm = shifted.best_norm();
    failures = result.gradient_norm < before / 2 ? 0 : failures + 1;
  }
  return result;
}

}  // namespace

Result<TrainedWeights> train_lbfgs(const Objective& objective, const Matrix& start, const TrainOptions& options) {
  Progress& progress = options.progress != nullptr ? *options.progress : no_progress();
  const double tolerance = *options.gradient_tolerance;
  const std::size_t K = objective.classes();
  TrainedWeights trained{start, Vector::Zero(static_cast<Index>(K)), std::vector<std::size_t>(K, 0)};
  progress.begin("training", K);
  for (std::size_t k = 0; k < K; ++k) {
    const auto column = static_cast<Index>(k);
    ClassResult result = minimise(objective, k, start.col(column), tolerance, options.max_iterations);
    if (!(result.gradient_norm <= tolerance)) return not_converged(k, result.gradient_norm, tolerance, result.iterations);
    trained.weights.col(column) = result.weights;
    trained.gradient_norms(column) = result.gradient_norm;
    trained.iterations[k] = result.iterations;
    progress.advance(1);
  }
  progress.end();
  return trained;
}

}  // namespace unscatter
