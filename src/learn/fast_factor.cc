#include "learn/fast_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/norms.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/wipe_matrix.h"

namespace unscatter {
namespace {

using Eigen::Index;

}  // namespace

std::optional<FastFactor> FastFactor::anchor(const Objective& objective, const Matrix& weights) {
  FastFactor result(objective, weights);
  result.ridge_ = objective.ridge();
  result.largest_ridge_ = result.ridge_;
  const SparseBlockRows& Z = objective.rows();
  const Matrix curvatures = objective.curvatures(objective.margins(weights));
  const std::size_t K = objective.classes();
  result.hessian_.resize(K);
  std::vector<std::optional<UpdatableInverse>> inverses(K);
  parallel_for(K, objective.threads(), 1, [&](std::size_t k, std::size_t) {
    Matrix& A = result.hessian_[k];
    A = weighted_square(Z, curvatures.col(static_cast<Index>(k)));
    A.diagonal().array() += objective.ridge();
    // A stays beside its inverse: the bound multiplies by A, so that it sees whatever the inverse has drifted by.
    inverses[k] = UpdatableInverse::of(A);
  });
  for (std::optional<UpdatableInverse>& inverse : inverses) {
    if (!inverse) return std::nullopt;
    result.inverse_.push_back(*std::move(inverse));
  }
  result.square_ = weighted_square(Z, Vector::Ones(static_cast<Index>(Z.rows())));
  const double norm_bound = spectral_norm_upper_bound_from_gram(result.square_, Z.rows());
  // From here on all scalars are rounded up, each by the roundings that it went through.
  result.spectral_square_ = norm_bound * norm_bound * (1 + 2 * kUnitRoundoff);
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    const double square = squared_norm(Z.row(i));
    result.frobenius_square_ += square;
    result.row_norm_ = std::max(result.row_norm_, std::sqrt(square));
  }
  const double rows = static_cast<double>(Z.rows());
  result.frobenius_square_ *= 1 + rounding_factor(rows + static_cast<double>(Z.columns()));
  result.row_norm_ *= 1 + rounding_factor(static_cast<double>(Z.columns()) + 2);
  // A term passes two roundings for each of its two factors, a product, and the sums over all rows.
  result.roundings_ = rows + 4;
  return result;
}

std::optional<FastFactor> FastFactor::restore(const Objective& objective, KeptCurvature numbers) {
  const auto width = static_cast<Index>(objective.width());
  const auto square = [width](const Matrix& matrix) {
    return matrix.rows() == width && matrix.cols() == width && matrix.allFinite();
  };
  const Matrix& anchor = numbers.anchor;
  const bool fits = anchor.rows() == width && anchor.cols() == static_cast<Index>(objective.classes()) &&
                    anchor.allFinite() && numbers.hessians.size() == objective.classes() &&
                    std::all_of(numbers.hessians.begin(), numbers.hessians.end(), square) && square(numbers.square);
  const double bounds =
      numbers.ridge + numbers.largest_ridge + numbers.spectral_square + numbers.frobenius_square + numbers.row_norm;
  if (!fits || !std::isfinite(bounds) || !std::isfinite(numbers.roundings)) return std::nullopt;
  FastFactor result(objective, numbers.anchor);
  result.ridge_ = numbers.ridge;
  result.largest_ridge_ = numbers.largest_ridge;
  result.hessian_ = std::move(numbers.hessians);
  result.square_ = std::move(numbers.square);
  result.spectral_square_ = numbers.spectral_square;
  result.frobenius_square_ = numbers.frobenius_square;
  result.row_norm_ = numbers.row_norm;
  result.roundings_ = numbers.roundings;
  return result;
}

KeptCurvature FastFactor::numbers() const {
  return {anchor_,          hessian_,          square_,   ridge_,    largest_ridge_,
          spectral_square_, frobenius_square_, row_norm_, roundings_};
}

void FastFactor::for_each_class(const std::function<void(std::size_t k)>& body) const {
  const std::size_t entries = hessian_.size() * static_cast<std::size_t>(square_.size());
  parallel_for(hessian_.size(), worthwhile_threads(entries, threads_), 1, [&](std::size_t k, std::size_t) { body(k); });
}

bool FastFactor::replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before) {
  // Z'^T Z' = Z^T Z - z z^T + z' z'^T is at most Z^T Z + |z'|^2 I.  So the bound on |Z|^2 grows by |z'|^2, and nothing
  // is taken away for the row that goes.  frobenius_square_ bounds the magnitudes of all terms ever added, so it does
  // not fall either.
  const double square = squared_norm(after) * (1 + rounding_factor(static_cast<double>(after.values.size()) + 4));
  frobenius_square_ = (frobenius_square_ + square) * (1 + 2 * kUnitRoundoff);
  spectral_square_ = (spectral_square_ + square) * (1 + 2 * kUnitRoundoff);
  row_norm_ = std::max(row_norm_, std::sqrt(square));
  // An edit takes at most six roundings (docs/theory.md, "The fast factor").
  roundings_ += 6;
  // A and C change at once, so that they hold nothing of a row that goes.  Inverses change by notes that wait
  // (updatable_inverse.h).
  Matrix rows = edited_rows(before, after, static_cast<std::size_t>(square_.rows()));
  add_squares(rows, Eigen::Vector2d(1, -1), square_);
  std::vector<char> intact(hessian_.size(), 1);
  for_each_class([&](std::size_t k) {
    // The sign of a margin decides about its curvature: l'' of huber-svm is not even.
    const auto curvature = [&](const BlockRow& row, std::uint32_t of) {
      return loss_.curvature((of == k ? 1.0 : -1.0) * dot(row, anchor_.col(static_cast<Index>(k))));
    };
    const double added = curvature(after, label);
    const double taken = curvature(before, label_before);
    add_squares(rows, Eigen::Vector2d(added, -taken), hessian_[k]);
    if (inverse_.empty()) return;
    // Up before down.  The matrix in between is then the larger one, and the second change stays away from zero.
    intact[k] = inverse_[k].add(rows, Eigen::Vector2d(added, -taken)) ? 1 : 0;
  });
  wipe_matrix(rows);  // one of them may be a row that goes
  return std::find(intact.begin(), intact.end(), 0) == intact.end();
}

Matrix FastFactor::solve(const Matrix& gradient_change) const {
  Matrix steps(gradient_change.rows(), gradient_change.cols());
  for_each_class([&](std::size_t label) {
    const auto k = static_cast<Index>(label);
    if (!inverse_.empty()) {
      steps.col(k) = inverse_[label].times(gradient_change.col(k));
      return;
    }
    Matrix factor = hessian_[label];
    Vector step = gradient_change.col(k);
    if (cholesky_in_place(factor)) {
      cholesky_solve_in_place(factor, step);
    } else {
      step.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    wipe_matrix(factor);
    steps.col(k) = step;
  });
  return steps;
}

Vector FastFactor::growth_upper_bound(const Matrix& weights, const Matrix& steps, const Matrix& gradient_change,
                                      double ridge) const {
  const double width = static_cast<double>(square_.rows());
  const double spectral = std::sqrt(spectral_square_);
  const double gamma_1 = loss_.curvature_bound();
  // entry_error of docs/theory.md, "The fast factor".  Entries of A and C have gone through `roundings_` roundings.
  // Their terms have an absolute sum of at most 2 frobenius_square_ (times gamma_1 for A).  Products with a vector add
  // `width` roundings.
  const double entry_error = 2 * rounding_factor(roundings_ + width + 8) * frobenius_square_;
  const Matrix squares = symmetric_product(square_, steps, threads_);
  Vector growth(steps.cols());
  for_each_class([&](std::size_t label) {
    const auto k = static_cast<Index>(label);
    const Vector v = steps.col(k);
    const double step_norm = v.norm();
    // sqrt(v^T C v) = |Z v|.  Rounding may make the product negative; the error term covers that.
    const double image = std::sqrt(std::max(0.0, v.dot(squares.col(k))) + entry_error * step_norm * step_norm);
    // The first term of (12): how far l'' may have moved between the anchor and any point of the step.
    const double drift = (weights.col(k) - anchor_.col(k)).norm() + step_norm / 2;
    const double curvature = loss_.curvature_lipschitz() * row_norm_ * drift * spectral * image;

    // The second term of (12), evaluated and not assumed: A v + (ridge - ridge_s) v - Delta.
    Vector defect = symmetric_product(hessian_[label], v).col(0);
    defect += (ridge - ridge_) * v - gradient_change.col(k);
    const double anchor_norm = anchor_.col(k).norm();
    // A curvature at the anchor errs by 8 eta gamma_1 (Lemma 8) and by what its margin errs.  Twice, because a row that
    // went was added with one such error and subtracted with another.
    const double curvature_error =
        2 *
        (8 * kUnitRoundoff * gamma_1 +
         loss_.curvature_lipschitz() * rounding_factor(width + 2) * row_norm_ * anchor_norm) *
        frobenius_square_;
    const double of_products =
        (gamma_1 * entry_error + curvature_error + 4 * rounding_factor(roundings_ + width + 4) * largest_ridge_) *
            step_norm +
        8 * kUnitRoundoff * gradient_change.col(k).norm();
    // The kept weights are fl(w + v).  This moves the gradient by at most |H| times the rounding.  The ridge is rounded
    // too, before and after a graph goes or comes.  6 times the largest ridge since the anchor covers both.
    const double new_norm = weights.col(k).norm() + step_norm;
    const double of_weights = kUnitRoundoff * (gamma_1 * spectral_square_ + 6 * largest_ridge_) * new_norm;
    const double rounding = of_products + of_weights;
    growth(k) = (curvature + defect.norm() + rounding) * (1 + rounding_factor(width + 32));
  });
  return growth;
}

void FastFactor::wipe() noexcept {
  for (Matrix& A : hessian_) wipe_matrix(A);
  for (UpdatableInverse& inverse : inverse_) inverse.wipe();
  wipe_matrix(square_);
  wipe_matrix(anchor_);
}

}  // namespace unscatter
