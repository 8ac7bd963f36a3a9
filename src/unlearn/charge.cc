#include "unlearn/charge.h"

#include <algorithm>
#include <cmath>

#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "unlearn/residual_bounds.h"

namespace unscatter {
namespace {

using Eigen::Index;

// The largest |z| among the rows before and after.
double largest_row_norm(const SparseBlockRows& rows, std::span<const RowChange> changes) {
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) largest = std::max(largest, rows.row_norm(i));
  for (const RowChange& change : changes) largest = std::max(largest, norm(change.before));
  return largest * (1 + rounding_factor(static_cast<double>(rows.columns()) + 4));
}

double displacement(const RowChange& change, std::size_t width) {
  Vector difference = Vector::Zero(static_cast<Index>(width));
  add_scaled(change.after, 1, difference);
  add_scaled(change.before, -1, difference);
  return difference.norm() * (1 + rounding_factor(static_cast<double>(width) + 4));
}

// |Delta| at worst, summed over the edited graphs [Pan23, Cor. 4.5, 4.6].
double worst_case_change(std::span<const RowChange> changes, const Loss& loss, double row_norm, double regularisation,
                         double weight_norm, std::size_t width) {
  double sum = 0;
  for (const RowChange& change : changes) {
    switch (change.kind) {
      case ChangeKind::kFeatures:
        sum += worst_case_feature_change(loss.slope_bound(), loss.curvature_bound(), row_norm, weight_norm,
                                         displacement(change, width));
        break;
      case ChangeKind::kStructure: sum += worst_case_node_change(loss.slope_bound(), row_norm); break;
      case ChangeKind::kRemoved:
        sum += worst_case_graph_change(loss.slope_bound(), row_norm, regularisation, weight_norm);
        break;
    }
  }
  return sum * (1 + rounding_factor(static_cast<double>(changes.size())));
}

}  // namespace

GradientChange gradient_change(std::span<const RowChange> changes, std::span<const std::uint32_t> labels,
                               const Loss& loss, double regularisation, const Matrix& weights) {
  GradientChange result{Matrix::Zero(weights.rows(), weights.cols()), Vector::Zero(weights.cols())};
  Vector magnitude = Vector::Zero(weights.cols());  // of all terms: what cancels in the sum still leaves its roundings
  for (const RowChange& change : changes) {
    for (Index k = 0; k < weights.cols(); ++k) {
      const double sign = labels[change.row] == static_cast<std::size_t>(k) ? 1 : -1;
      const double weight_norm = weights.col(k).norm();
      const auto add = [&](const BlockRow& row, double direction) {
        if (row.values.empty()) return;
        const double slope = loss.slope(sign * dot(row, weights.col(k)));
        add_scaled(row, direction * sign * slope, result.columns.col(k));
        const double length = norm(row);
        const double margin_error = rounding_factor(static_cast<double>(row.values.size()) + 2) * length * weight_norm;
        result.rounding(k) +=
            length * (loss.curvature_bound() * margin_error + 8 * kUnitRoundoff * (1 + std::abs(slope)));
        magnitude(k) += length * std::abs(slope);
      };
      add(change.before, 1);
      add(change.after, -1);
      if (change.kind == ChangeKind::kRemoved) {
        result.columns.col(k) += regularisation * weights.col(k);
        result.rounding(k) += 4 * kUnitRoundoff * regularisation * weight_norm;
        magnitude(k) += regularisation * weight_norm;
      }
    }
  }
  result.rounding += rounding_factor(3 * static_cast<double>(changes.size()) + 4) * magnitude;
  result.rounding *= 1.01;
  return result;
}

ClassBounds charge_newton_step(const Objective& after, std::span<const RowChange> changes, const Matrix& weights,
                               const GradientChange& change, const NewtonStep& step, const Vector& residuals_before,
                               std::size_t graphs, double spectral_norm, const SessionOptions& options) {
  const Loss& loss = after.loss();
  const double row_norm = options.row_norm ? *options.row_norm : largest_row_norm(after.rows(), changes);
  // H V - Delta: what the solver left over, evaluated rather than trusted.
  const Matrix defect = after.newton_defect(step.curvatures, step.products, step.steps, change.columns);
  const Vector defect_rounding =
      after.newton_defect_rounding_upper_bound(step.curvatures, step.products, weights, step.steps, change.columns);
  // Twice the envelope of an evaluated residual, so that the exact bound, which carries it once on top of a computed
  // norm that may err by it once more, is never above.
  const Matrix new_weights = weights + step.steps;
  const Vector evaluation = 2 * after.gradient_rounding_upper_bound(after.margins(new_weights), new_weights);

  // The ridge falls by fl(lambda n) - fl(lambda n'), which is lambda per removed graph only up to two roundings.
  const auto removed =
      std::count_if(changes.begin(), changes.end(), [](const RowChange& c) { return c.kind == ChangeKind::kRemoved; });
  const double ridges = 2 * after.ridge() + options.regularisation * static_cast<double>(removed);
  const double ridge_rounding = removed == 0 ? 0 : 2 * kUnitRoundoff * ridges;

  const double round_up = 1 + rounding_factor(static_cast<double>(after.rows().rows() + after.width()) + 8);
  ClassBounds bounds{Vector(weights.cols()), Vector(weights.cols()), Vector(weights.cols())};
  for (Index k = 0; k < weights.cols(); ++k) {
    const double left_over =
        residuals_before(k) + (defect.col(k).norm() * round_up + defect_rounding(k) + change.rounding(k) +
                               evaluation(k) + ridge_rounding * weights.col(k).norm());
    const double step_norm = step.steps.col(k).norm() * round_up;
    const double product_norm = step.products.col(k).norm() * round_up;
    const double squared_product_norm = step.products.col(k).array().square().matrix().norm() * round_up;
    const double gradient_change_bound = worst_case_change(changes, loss, row_norm, options.regularisation,
                                                           weights.col(k).norm() * round_up, after.width());
    bounds.tight(k) = left_over + tightened_bound(loss.curvature_lipschitz(), spectral_norm, squared_product_norm);
    bounds.data(k) = left_over + data_dependent_bound(loss.published_curvature_lipschitz(), row_norm, spectral_norm,
                                                      step_norm, product_norm);
    bounds.worst(k) = left_over + worst_case_bound(loss.published_curvature_lipschitz(), row_norm,
                                                   options.regularisation, graphs, gradient_change_bound);
  }
  return bounds;
}

}  // namespace unscatter
