#include "unlearn/charge.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "unlearn/residual_bounds.h"

namespace unscatter {
namespace {

using Eigen::Index;

// F: the largest |z| among the rows before and after, rounded up.  The bounds data and worst hold only if no row is
// longer, and the old rows count too, because Delta has their terms.
double largest_row_norm(const SparseBlockRows& rows, std::span<const RowChange> changes) {
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) largest = std::max(largest, rows.row_norm(i));
  largest = largest_of_all(rows.share(), largest);
  // The rows after the change stand in `rows` already.
  for (const RowChange& change : changes) largest = std::max(largest, norm(change.before));
  return largest * (1 + rounding_factor(static_cast<double>(rows.columns()) + 4));
}

double displacement(const RowChange& change, std::size_t width) {
  // |z - z'|, measured and rounded up.  The paper bounds it by F / sqrt(g), which needs signals within [-1, 1] and one
  // moment.
  Vector difference = Vector::Zero(static_cast<Index>(width));
  add_scaled(change.after, 1, difference);
  add_scaled(change.before, -1, difference);
  return difference.norm() * (1 + rounding_factor(static_cast<double>(width) + 4));
}

// Delta_max, the sum of (6) in docs/theory.md over the edited graphs [Pan23, Cor. 4.5, 4.6].  A graph that was touched
// in several ways counts once, by its largest kind.
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
      case ChangeKind::kAdded:
        sum += worst_case_graph_change(loss.slope_bound(), row_norm, regularisation, weight_norm);
        break;
    }
  }
  return sum * (1 + rounding_factor(static_cast<double>(changes.size())));
}

// |x| of a vector with one entry per row.
double norm_over_rows(const SparseBlockRows& rows, const Vector& x) {
  return rows.share() == nullptr ? x.norm() : std::sqrt(sum_of_all(rows.share(), x.cwiseAbs2()));
}

// Whether another number of graphs is left, and with it another ridge.
bool changes_count(const RowChange& change) {
  return change.kind == ChangeKind::kRemoved || change.kind == ChangeKind::kAdded;
}

}  // namespace

double ridge_per_graph(const SessionOptions& options) { return options.ridge ? 0 : options.regularisation; }

GradientChange gradient_change(std::span<const RowChange> changes, std::span<const std::uint32_t> labels,
                               const Loss& loss, double per_graph, const Matrix& weights) {
  GradientChange result{Matrix::Zero(weights.rows(), weights.cols()), Vector::Zero(weights.cols())};
  // The sum of the lengths of all terms.  Terms of opposite classes cancel in the sum, and their roundings do not.
  Vector magnitude = Vector::Zero(weights.cols());
  for (const RowChange& change : changes) {
    for (Index k = 0; k < weights.cols(); ++k) {
      // A class that was corrected: the term with the old label leaves, and the one with the new label comes.
      const auto sign_of = [&](const std::optional<std::uint32_t>& label) {
        // A label that stays is the one before, if that is known.
        const std::uint32_t of = label ? *label : change.label_before ? *change.label_before : labels[change.row];
        return of == static_cast<std::size_t>(k) ? 1.0 : -1.0;
      };
      const double weight_norm = weights.col(k).norm();
      const auto add = [&](const BlockRow& row, double sign, double direction) {
        if (row.values.empty()) return;
        const double slope = loss.slope(sign * dot(row, weights.col(k)));
        add_scaled(row, direction * sign * slope, result.columns.col(k));
        // The slope errs by gamma_1 times the error of its margin, and by its own evaluation (Lemma 8).
        const double length = norm(row);
        const double margin_error = rounding_factor(static_cast<double>(row.values.size()) + 2) * length * weight_norm;
        result.rounding(k) +=
            length * (loss.curvature_bound() * margin_error + 8 * kUnitRoundoff * (1 + std::abs(slope)));
        magnitude(k) += length * std::abs(slope);
      };
      add(change.before, sign_of(change.label_before), 1);
      add(change.after, sign_of(change.label_after), -1);
      if (changes_count(change) && per_graph > 0) {
        result.columns.col(k) += (change.kind == ChangeKind::kRemoved ? per_graph : -per_graph) * weights.col(k);
        result.rounding(k) += 4 * kUnitRoundoff * per_graph * weight_norm;
        magnitude(k) += per_graph * weight_norm;
      }
    }
  }
  // An edited graph adds three terms at most: the row before, the row after, and lambda w.
  result.rounding += rounding_factor(3 * static_cast<double>(changes.size()) + 4) * magnitude;
  // One per cent covers products of two errors and the rounding of these sums, as in the envelope of a gradient.
  result.rounding *= 1.01;
  return result;
}

ClassBounds charge_newton_step(const Objective& after, std::span<const RowChange> changes, const Matrix& weights,
                               const GradientChange& change, const NewtonStep& step, const Vector& residuals_before,
                               std::size_t graphs, double spectral_norm, const SessionOptions& options) {
  const Loss& loss = after.loss();
  // A given F is taken on trust.  If it is too small, data and worst may be false, and the certificate says so.  Level
  // everyone shortens rows to F up to rounding, and these bounds leave no room for that: so F is measured there.
  const bool trusted = options.row_norm && options.protection == Protection::kRemoved;
  const double row_norm = trusted ? *options.row_norm : largest_row_norm(after.rows(), changes);
  // H V - Delta, the middle term of (5): what the solver left over.  It is evaluated, because nobody trusts it to be
  // small.
  const Matrix defect = after.newton_defect(step.curvatures, step.products, step.steps, change.columns);
  const Vector defect_rounding =
      after.newton_defect_rounding_upper_bound(step.curvatures, step.products, weights, step.steps, change.columns);
  // 2 E(w') of (8).  One E(w') covers that the kept weights are fl(w + v).  The other one keeps exact <= tight: a
  // computed gradient may be too long by E(w'), and the bound exact adds E(w') on top of that.
  const Matrix new_weights = weights + step.steps;
  const Vector evaluation = 2 * after.gradient_rounding_upper_bound(after.margins(new_weights), new_weights);

  // The ridge changes by fl(lambda n) - fl(lambda n').  Delta has lambda per graph that goes or comes instead.  The two
  // differ by at most eta times the sum of both ridges.  The ridge before is at most the one after and lambda per graph
  // that goes.
  const auto counted = std::count_if(changes.begin(), changes.end(), changes_count);
  const double per_graph = ridge_per_graph(options);
  const double ridges = 2 * after.ridge() + per_graph * static_cast<double>(counted);
  const double ridge_rounding = counted == 0 ? 0 : 2 * kUnitRoundoff * ridges;

  // lambda, as the bound worst wants it.  A constant ridge is that of as many graphs with a share each.
  const double per_living_graph = options.ridge ? *options.ridge / static_cast<double>(graphs) : options.regularisation;

  // Enough for a norm of n or of d computed numbers.
  const double round_up = 1 + rounding_factor(static_cast<double>(after.rows().total_rows() + after.width()) + 8);
  ClassBounds bounds{Vector(weights.cols()), Vector(weights.cols()), Vector(weights.cols())};
  for (Index k = 0; k < weights.cols(); ++k) {
    // (8): everything but the remainder.  It is the same for all three bounds, so that they compare by their
    // remainders.
    const double left_over =
        residuals_before(k) + (defect.col(k).norm() * round_up + defect_rounding(k) + change.rounding(k) +
                               evaluation(k) + ridge_rounding * weights.col(k).norm());
    const double step_norm = step.steps.col(k).norm() * round_up;
    const Vector products = step.products.col(k);
    const double product_norm = norm_over_rows(after.rows(), products) * round_up;
    const double squared_product_norm = norm_over_rows(after.rows(), products.array().square()) * round_up;
    const double gradient_change_bound =
        worst_case_change(changes, loss, row_norm, per_graph, weights.col(k).norm() * round_up, after.width());
    bounds.tight(k) = left_over + tightened_bound(loss.curvature_lipschitz(), spectral_norm, squared_product_norm);
    bounds.data(k) = left_over + data_dependent_bound(loss.published_curvature_lipschitz(), row_norm, spectral_norm,
                                                      step_norm, product_norm);
    bounds.worst(k) = left_over + worst_case_bound(loss.published_curvature_lipschitz(), row_norm, per_living_graph,
                                                   graphs, gradient_change_bound);
  }
  return bounds;
}

}  // namespace unscatter
