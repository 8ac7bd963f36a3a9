#include "unscatter/learn/objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "learn/gradient_envelope.h"
#include "linalg/kernels.h"
#include "linalg/rounding.h"
#include "linalg/row_pass.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Up to so many classes, padded, the derivatives of a block lie on the stack.  Ten classes are padded to twelve.
constexpr std::size_t kUsualStride = 12;

Index index(std::size_t i) { return static_cast<Index>(i); }

std::vector<std::size_t> all_classes(std::size_t classes) {
  std::vector<std::size_t> all(classes);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// How many rows of this rank belong to a part of a pass that begins with an earlier rank.
std::size_t rows_of_an_earlier_part(const SparseBlockRows& rows) {
  const std::size_t per_part = rows_of_a_part(rows.total_rows());
  const std::size_t into = rows.first_of_all() % per_part;
  return into == 0 ? 0 : std::min(per_part - into, rows.rows());
}

// The envelopes of all parts, added in the order of the parts, where ranks share the rows.  Within a part rows are
// added one after the other, so a rank goes on with the part that the rank before it began.
GradientEnvelope joined(const SparseBlockRows& rows, const std::vector<GradientEnvelope>& parts, std::size_t classes,
                        const RowMatrix& waiting_slopes, const RowMatrix& waiting_curvatures) {
  const std::size_t per_part = rows_of_a_part(rows.total_rows());
  const std::size_t begin = rows.first_of_all();
  const std::size_t end = begin + rows.rows();
  const std::size_t size = GradientEnvelope::numbers(classes);
  std::vector<double> state(2 * size, 0.0);  // of finished parts, and of one that is not
  const std::span<double> of_all(state.data(), size);
  const std::span<double> of_part(state.data() + size, size);
  GradientEnvelope sum(classes);
  in_turns(rows.share(), std::span(state), [&] {
    sum.read(of_all);
    for (std::size_t part = begin / per_part; part * per_part < end; ++part) {
      GradientEnvelope envelope = parts[part];
      if (part * per_part < begin) {
        envelope.read(of_part);
        for (std::size_t i = 0; i < static_cast<std::size_t>(waiting_slopes.rows()); ++i) {
          envelope.add_row(rows.row_norm(i), rows.row_product_depth(i), waiting_slopes.row(index(i)).data(),
                           waiting_curvatures.row(index(i)).data());
        }
      }
      if ((part + 1) * per_part <= end || end == rows.total_rows()) {
        sum += envelope;
      } else {
        envelope.write(of_part);
      }
    }
    sum.write(of_all);
  });
  sum.read(of_all);
  return sum;
}

}  // namespace

Objective::Objective(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, std::size_t classes,
                     const Loss& loss, double ridge, const Matrix* perturbation, std::size_t threads)
    : Objective(rows, CheckedLabels{labels}, classes, loss, ridge, perturbation, threads) {
  // This reads all n labels.  An update takes the other constructor, so that its cost does not depend on n.
  invariant(std::all_of(labels.begin(), labels.end(), [classes](std::uint32_t y) { return y < classes; }),
            "labels below K");
}

Objective::Objective(const SparseBlockRows& rows, CheckedLabels labels, std::size_t classes, const Loss& loss,
                     double ridge, const Matrix* perturbation, std::size_t threads)
    : rows_(&rows),
      labels_(labels.labels),
      classes_(classes),
      loss_(loss),
      ridge_(ridge),
      perturbation_(perturbation),
      threads_(threads) {
  invariant(labels_.size() == rows.rows(), "one label per row");
  invariant(classes >= 1, "at least one class");
  // Zero is allowed: training without regularisation is possible, certifying is not.
  invariant(ridge >= 0 && std::isfinite(ridge), "the ridge is finite and not negative");
  if (perturbation != nullptr) {
    invariant(perturbation->rows() == index(rows.columns()) && perturbation->cols() == index(classes),
              "a perturbation has one column of full width per class");
  }
}

std::uint32_t Objective::label_of_all(std::size_t number) const {
  if (const std::optional<std::size_t> place = rows_->place_of(number)) return labels_[*place];
  return rows_->elsewhere(number).label;
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
  // The slopes come along at no cost: both derivatives share one exponential.
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

Evaluation Objective::evaluate(const Matrix& weights) const { return evaluate(weights, all_classes(classes_)); }

Evaluation Objective::evaluate(const Matrix& weights, std::span<const std::size_t> classes) const {
  invariant(weights.cols() == index(classes.size()), "evaluate(): one column of weights per class");
  // Where each class stands.  A class that is not asked for stands beyond every block.
  std::vector<std::size_t> columns(classes_, kernel::padded_columns(classes.size()));
  for (std::size_t c = 0; c < classes.size(); ++c) columns[classes[c]] = c;
  // One envelope per part of the pass, not per thread.  The parts are joined in order at the end, so the sums do not
  // depend on threads.
  std::vector<GradientEnvelope> envelopes(pass_parts(rows_->total_rows()), GradientEnvelope(classes.size()));
  // Rows of a part that began with another rank wait until that rank is done.
  const std::size_t waiting = rows_->share() == nullptr ? 0 : rows_of_an_earlier_part(*rows_);
  RowMatrix waiting_slopes(index(waiting), index(classes.size()));
  RowMatrix waiting_curvatures(index(waiting), index(classes.size()));
  Evaluation result;
  // All signs s_ik are -1, but for that of a row's own class.  So the products are made with -W, and the sum is negated
  // at the end.  In between only the entry of the own class is turned round, one number per row instead of K.
  const Matrix sum = pass_over_rows(
      *rows_, -weights,
      [&](const RowBlock& block) {
        const std::size_t count = block.rows * block.stride;
        double near[2 * kMostBlockRows * kUsualStride];
        std::vector<double> far(block.stride <= kUsualStride ? 0 : 2 * count);
        // Padded columns are computed along with the others.  Nobody looks at them.
        const std::span<double> slopes(far.empty() ? near : far.data(), count);
        const std::span<double> curvatures(slopes.data() + count, count);
        turn_own_signs(block, columns);
        loss_.derivatives(std::span<const double>(block.values, count), slopes, curvatures);
        for (std::size_t r = 0; r < block.rows; ++r) {
          const std::size_t row = block.first + r;
          const std::size_t at = r * block.stride;
          if (row < waiting) {
            std::copy_n(&slopes[at], classes.size(), waiting_slopes.row(index(row)).data());
            std::copy_n(&curvatures[at], classes.size(), waiting_curvatures.row(index(row)).data());
            continue;
          }
          envelopes[block.part].add_row(rows_->row_norm(row), rows_->row_product_depth(row), &slopes[at],
                                        &curvatures[at]);
        }
        // What leaves the block are the factors s o l' of Z^T.
        std::copy(slopes.begin(), slopes.end(), block.values);
        turn_own_signs(block, columns);
      },
      threads_);
  result.gradient = -sum;
  result.gradient += ridge_ * weights;
  if (perturbation_ != nullptr) {
    for (std::size_t c = 0; c < classes.size(); ++c)
      result.gradient.col(index(c)) += perturbation_->col(index(classes[c]));
  }
  if (rows_->share() != nullptr) {
    envelopes[0] = joined(*rows_, envelopes, classes.size(), waiting_slopes, waiting_curvatures);
  } else {
    for (std::size_t part = 1; part < envelopes.size(); ++part) envelopes[0] += envelopes[part];
  }
  result.rounding = Vector::Zero(weights.cols());
  if (!envelopes.empty()) result.rounding = rounding_of(envelopes[0], weights, classes);
  return result;
}

Matrix Objective::gradient_from(Matrix slopes, const Matrix& weights) const {
  apply_signs(slopes);
  Matrix result = transposed_product(*rows_, slopes, threads_);
  add_ridge_and_noise(weights, result);
  return result;
}

void Objective::add_ridge_and_noise(const Matrix& weights, Matrix& gradient) const {
  gradient += ridge_ * weights;
  if (perturbation_ != nullptr) gradient += *perturbation_;
}

void Objective::turn_own_signs(const RowBlock& block, std::span<const std::size_t> columns) const {
  for (std::size_t r = 0; r < block.rows; ++r) {
    const std::size_t column = columns[labels_[block.first + r]];
    if (column >= block.stride) continue;
    double& own = block.values[r * block.stride + column];
    own = -own;
  }
}

Matrix Objective::newton_defect(const Matrix& curvatures, const Matrix& products, const Matrix& steps,
                                const Matrix& right_sides) const {
  // The middle term of (5) in docs/theory.md, with H applied by passes over the rows and never formed.
  Matrix result = transposed_product(*rows_, curvatures.cwiseProduct(products), threads_);
  result += ridge_ * steps - right_sides;
  return result;
}

double Objective::value(std::size_t label, const Vector& margins, const Vector& weights) const {
  double sum = ridge_ / 2 * weights.squaredNorm();
  if (perturbation_ != nullptr) sum += perturbation_->col(index(label)).dot(weights);
  in_turns(rows_->share(), std::span(&sum, 1), [&] {
    for (const double t : margins) sum += loss_.value(t);
  });
  return sum;
}

double Objective::change(std::size_t label, const Vector& margins, const Vector& signed_products, const Vector& weights,
                         const Vector& step, double t) const {
  // |w + t v|^2 - |w|^2, multiplied out: the difference of the two squares would cancel where the step is short.
  double sum = ridge_ * (t * weights.dot(step) + t * t / 2 * step.squaredNorm());
  if (perturbation_ != nullptr) sum += t * perturbation_->col(index(label)).dot(step);
  in_turns(rows_->share(), std::span(&sum, 1), [&] {
    for (Index i = 0; i < margins.size(); ++i) sum += loss_.change(margins(i), t * signed_products(i));
  });
  return sum;
}

Vector Objective::gradient_rounding_upper_bound(const Matrix& margins, const Matrix& weights) const {
  // By rows, because the envelope takes the classes of a row side by side.
  RowMatrix slopes(margins.rows(), margins.cols());
  RowMatrix curvatures(margins.rows(), margins.cols());
  const RowMatrix by_row = margins;
  const auto count = static_cast<std::size_t>(margins.size());
  loss_.derivatives(std::span(by_row.data(), count), std::span(slopes.data(), count),
                    std::span(curvatures.data(), count));
  GradientEnvelope envelope(classes_);
  std::vector<double> state(GradientEnvelope::numbers(classes_), 0.0);
  in_turns(rows_->share(), std::span(state), [&] {
    envelope.read(state);
    for (std::size_t i = 0; i < rows_->rows(); ++i) {
      envelope.add_row(rows_->row_norm(i), rows_->row_product_depth(i), slopes.row(index(i)).data(),
                       curvatures.row(index(i)).data());
    }
    envelope.write(state);
  });
  envelope.read(state);
  return rounding_of(envelope, weights, all_classes(classes_));
}

Vector Objective::rounding_of(const GradientEnvelope& envelope, const Matrix& weights,
                              std::span<const std::size_t> classes) const {
  Vector bound(weights.cols());
  for (Index k = 0; k < weights.cols(); ++k) {
    const double weight_norm = weights.col(k).norm();
    // Norms computed here may be off by 1e-4 of themselves.  The one per cent of the envelope covers that.
    const double noise =
        perturbation_ == nullptr ? 0 : perturbation_->col(index(classes[static_cast<std::size_t>(k)])).norm();
    bound(k) = envelope.upper_bound(static_cast<std::size_t>(k), loss_, weight_norm,
                                    summation_depth(rows_->total_rows()), ridge_ * weight_norm + noise);
  }
  return bound;
}

Vector Objective::newton_defect_rounding_upper_bound(const Matrix& curvatures, const Matrix& products,
                                                     const Matrix& weights, const Matrix& steps,
                                                     const Matrix& right_sides) const {
  // (14) of docs/theory.md.  The factor of row i is l''(t_i) zeta_i with zeta_i = z_i.v.  l'' errs by its Lipschitz
  // constant times the error of the margin, plus 8 eta gamma_1.  zeta_i errs by theta_m |z_i| |v|.
  const double summing = rounding_factor(static_cast<double>(summation_depth(rows_->total_rows())) + 4);
  const Vector weight_norms = weights.colwise().norm();
  const Vector step_norms = steps.colwise().norm();
  Vector bound = Vector::Zero(weights.cols());
  const auto add_row = [&](std::size_t i) {
    const BlockRow& row = rows_->row(i);
    if (row.values.empty()) return;  // a graph that went
    const double length = rows_->row_norm(i);
    const double per_product = rounding_factor(static_cast<double>(rows_->row_product_depth(i)) + 2) * length;
    for (Index k = 0; k < weights.cols(); ++k) {
      const double zeta = std::abs(products(index(i), k));
      const double curvature = curvatures(index(i), k);
      const double curvature_error =
          loss_.curvature_lipschitz() * per_product * weight_norms(k) + 8 * kUnitRoundoff * loss_.curvature_bound();
      bound(k) +=
          length * (curvature_error * zeta + curvature * per_product * step_norms(k) + summing * curvature * zeta);
    }
  };
  in_turns(rows_->share(), std::span(bound.data(), static_cast<std::size_t>(bound.size())), [&] {
    for (std::size_t i = 0; i < rows_->rows(); ++i) add_row(i);
  });
  for (Index k = 0; k < weights.cols(); ++k) {
    bound(k) += 4 * kUnitRoundoff * (ridge_ * step_norms(k) + right_sides.col(k).norm());
  }
  // One per cent covers products of two errors and the rounding of these sums.
  return 1.01 * bound;
}

}  // namespace unscatter
