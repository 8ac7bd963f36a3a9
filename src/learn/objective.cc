#include "unscatter/learn/objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "unscatter/base/invariant.h"
#include "unscatter/linalg/rounding.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {
namespace {

using Eigen::Index;

Index index(std::size_t i) { return static_cast<Index>(i); }

}  // namespace

Objective::Objective(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, std::size_t classes, const Loss& loss,
                     double ridge, const Matrix* perturbation, std::size_t threads)
    : Objective(rows, CheckedLabels{labels}, classes, loss, ridge, perturbation, threads) {
  invariant(std::all_of(labels.begin(), labels.end(), [classes](std::uint32_t y) { return y < classes; }), "labels below K");
}

Objective::Objective(const SparseBlockRows& rows, CheckedLabels labels, std::size_t classes, const Loss& loss, double ridge,
                     const Matrix* perturbation, std::size_t threads)
    : rows_(&rows),
      labels_(labels.labels),
      classes_(classes),
      loss_(loss),
      ridge_(ridge),
      perturbation_(perturbation),
      threads_(threads) {
  invariant(labels_.size() == rows.rows(), "one label per row");
  invariant(classes >= 1, "at least one class");
  invariant(ridge >= 0 && std::isfinite(ridge), "the ridge is finite and not negative");
  if (perturbation != nullptr) {
    invariant(perturbation->rows() == index(rows.columns()) && perturbation->cols() == index(classes),
              "a perturbation has one column of full width per class");
  }
}

void Objective::apply_signs(Matrix& products) const {
  for (Index k = 0; k < products.cols(); ++k) {
    for (Index i = 0; i < products.rows(); ++i)
      products(i, k) *= sign(static_cast<std::size_t>(i), static_cast<std::size_t>(k));
  }
}

Matrix Objective::margins(const Matrix& weights) const {
  Matrix result = product(*rows_, weights, threads_);
  apply_signs(result);
  return result;
}

Matrix Objective::curvatures(const Matrix& margins) const {
  Matrix slopes;
  Matrix result;
  loss_.derivatives(margins, slopes, result);
  return result;
}

Matrix Objective::gradient(const Matrix& margins, const Matrix& weights) const {
  Matrix slopes;
  Matrix curvatures;
  loss_.derivatives(margins, slopes, curvatures);
  return gradient_from(std::move(slopes), weights);
}

Evaluation Objective::evaluate(const Matrix& weights) const {
  Evaluation result;
  result.margins = margins(weights);
  Matrix slopes;
  loss_.derivatives(result.margins, slopes, result.curvatures);
  result.rounding = gradient_rounding(slopes, result.curvatures, weights);
  result.gradient = gradient_from(std::move(slopes), weights);
  return result;
}

Matrix Objective::gradient_from(Matrix slopes, const Matrix& weights) const {
  apply_signs(slopes);
  Matrix result = transposed_product(*rows_, slopes, threads_);
  result += ridge_ * weights;
  if (perturbation_ != nullptr) result += *perturbation_;
  return result;
}

Matrix Objective::newton_defect(const Matrix& curvatures, const Matrix& products, const Matrix& steps,
                                const Matrix& right_sides) const {
  Matrix result = transposed_product(*rows_, curvatures.cwiseProduct(products), threads_);
  result += ridge_ * steps - right_sides;
  return result;
}

double Objective::value(std::size_t label, const Vector& margins, const Vector& weights) const {
  double sum = ridge_ / 2 * weights.squaredNorm();
  if (perturbation_ != nullptr) sum += perturbation_->col(index(label)).dot(weights);
  for (const double t : margins) sum += loss_.value(t);
  return sum;
}

double Objective::change(std::size_t label, const Vector& margins, const Vector& signed_products, const Vector& weights,
                         const Vector& step, double t) const {
  double sum = ridge_ * (t * weights.dot(step) + t * t / 2 * step.squaredNorm());
  if (perturbation_ != nullptr) sum += t * perturbation_->col(index(label)).dot(step);
  for (Index i = 0; i < margins.size(); ++i) sum += loss_.change(margins(i), t * signed_products(i));
  return sum;
}

// Both envelopes add up, row by row, |z_i| times what the row's factor may be off by, plus gamma_depth of the absolute sum;
// they are themselves computed in floating point, with an error far below the one per cent that is added at the end.
Vector Objective::gradient_rounding_upper_bound(const Matrix& margins, const Matrix& weights) const {
  Matrix slopes;
  Matrix curvatures;
  loss_.derivatives(margins, slopes, curvatures);
  return gradient_rounding(slopes, curvatures, weights);
}

Vector Objective::gradient_rounding(const Matrix& slopes, const Matrix& curvatures, const Matrix& weights) const {
  // Factor l'(t_i): a margin errs by e = gamma_m |z_i| |w|, m its depth, and l' follows with the largest
  // l'' within e of it, l''(t_i) + gamma_2 e; its own evaluation errs by at most 8 u (1 + |l'|).  An empty row has length 0.
  const double summing = rounding_factor(static_cast<double>(summation_depth(rows_->rows())) + 4);
  const double flat = loss_.curvature_bound();
  Eigen::ArrayXd lengths(slopes.rows());
  Eigen::ArrayXd per_margin(slopes.rows());
  for (Index i = 0; i < slopes.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    lengths(i) = rows_->row_norm(row);
    per_margin(i) = rounding_factor(static_cast<double>(product_depth(rows_->row(row))) + 2) * lengths(i);
  }
  Vector bound(weights.cols());
  for (Index k = 0; k < weights.cols(); ++k) {
    const double weight_norm = weights.col(k).norm();
    const auto slope = slopes.col(k).array().abs();
    const auto margin_error = per_margin * weight_norm;
    const auto nearby = curvatures.col(k).array() + loss_.curvature_lipschitz() * margin_error + 8 * kUnitRoundoff * flat;
    const double of_rows =
        (lengths * (nearby.min(flat) * margin_error + 8 * kUnitRoundoff * (1 + slope) + summing * slope)).sum();
    const double noise = perturbation_ == nullptr ? 0 : perturbation_->col(k).norm();
    bound(k) = 1.01 * (of_rows + 4 * kUnitRoundoff * (ridge_ * weight_norm + noise));
  }
  return bound;
}

Vector Objective::newton_defect_rounding_upper_bound(const Matrix& curvatures, const Matrix& products, const Matrix& weights,
                                                     const Matrix& steps, const Matrix& right_sides) const {
  // Factor l''(t_i) zeta_i: l'' errs by its Lipschitz constant times the margin's error plus 8 u gamma_1, zeta_i = z_i.v by
  // gamma_m |z_i| |v|.
  const double summing = rounding_factor(static_cast<double>(summation_depth(rows_->rows())) + 4);
  const Vector weight_norms = weights.colwise().norm();
  const Vector step_norms = steps.colwise().norm();
  Vector bound = Vector::Zero(weights.cols());
  for (std::size_t i = 0; i < rows_->rows(); ++i) {
    const BlockRow& row = rows_->row(i);
    if (row.values.empty()) continue;
    const double length = rows_->row_norm(i);
    const double per_product = rounding_factor(static_cast<double>(product_depth(row)) + 2) * length;
    for (Index k = 0; k < weights.cols(); ++k) {
      const double zeta = std::abs(products(index(i), k));
      const double curvature = curvatures(index(i), k);
      const double curvature_error =
          loss_.curvature_lipschitz() * per_product * weight_norms(k) + 8 * kUnitRoundoff * loss_.curvature_bound();
      bound(k) += length * (curvature_error * zeta + curvature * per_product * step_norms(k) + summing * curvature * zeta);
    }
  }
  for (Index k = 0; k < weights.cols(); ++k) {
    bound(k) += 4 * kUnitRoundoff * (ridge_ * step_norms(k) + right_sides.col(k).norm());
  }
  return 1.01 * bound;
}

}  // namespace unscatter
