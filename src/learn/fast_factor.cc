#include "learn/fast_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "learn/anchor_sums.h"
#include "linalg/cholesky.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/wipe_matrix.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Edits change the lower triangle alone.  The other one would go on holding rows that went.
void forget_upper(Matrix& A) { A.triangularView<Eigen::StrictlyUpper>().setZero(); }

// Inverses that do not fit the caches near the processor are read from far away at every step, and that is what a step
// costs.  Half the bytes are then worth some digits: the bound knows what the step left over, and the next one takes it
// away.
InversePrecision inverse_precision(std::size_t classes, std::size_t width) {
  constexpr std::size_t kNearBytes = std::size_t{1} << 22;
  return classes * width * width * sizeof(double) > kNearBytes ? InversePrecision::kSingleIfUseful
                                                               : InversePrecision::kDouble;
}

}  // namespace

namespace {

KeptCurvature numbers_at(const Objective& objective, const Matrix& weights) {
  const SparseBlockRows& Z = objective.rows();
  const Matrix curvatures = objective.curvatures(objective.margins(weights));
  AnchorSums sums(objective.loss(), weights);
  for (std::size_t first = 0; first < Z.rows(); first += kSquarePartRows) {
    const std::size_t count = std::min(kSquarePartRows, Z.rows() - first);
    const auto of_part = curvatures.middleRows(static_cast<Index>(first), static_cast<Index>(count));
    if (first == 0) {
      sums.add(Z, first, of_part, objective.threads());
      continue;
    }
    AnchorSums part(objective.loss(), weights);
    part.add(Z, first, of_part, objective.threads());
    sums.join(part);
  }
  return sums.finish(objective.ridge(), Z.rows());
}

}  // namespace

std::optional<FastFactor> FastFactor::anchor(const Objective& objective, const Matrix& weights) {
  KeptCurvature numbers = numbers_at(objective, weights);
  const std::size_t K = objective.classes();
  const InversePrecision precision = inverse_precision(K, objective.width());
  // A stays beside its inverse: the bound multiplies by A, so that it sees whatever the inverse has drifted by.
  std::vector<std::optional<UpdatableInverse>> inverses(K);
  parallel_for(K, objective.threads(), 1,
               [&](std::size_t k, std::size_t) { inverses[k] = UpdatableInverse::of(numbers.hessians[k], precision); });
  std::optional<FastFactor> result = restore(objective, std::move(numbers));
  if (!result) return std::nullopt;
  for (std::optional<UpdatableInverse>& inverse : inverses) {
    if (!inverse) return std::nullopt;
    result->inverse_.push_back(*std::move(inverse));
  }
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
  for (Matrix& A : result.hessian_) forget_upper(A);
  result.square_ = std::move(numbers.square);
  result.spectral_square_ = numbers.spectral_square;
  result.frobenius_square_ = numbers.frobenius_square;
  result.row_norm_ = numbers.row_norm;
  result.roundings_ = numbers.roundings;
  return result;
}

KeptCurvature FastFactor::numbers() const {
  KeptCurvature numbers{anchor_,          hessian_,          square_,   ridge_,    largest_ridge_,
                        spectral_square_, frobenius_square_, row_norm_, roundings_};
  // Outside both triangles are kept.
  for (Matrix& A : numbers.hessians) A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  return numbers;
}

void FastFactor::for_each(std::size_t count, const std::function<void(std::size_t i)>& body) const {
  const std::size_t entries = count * static_cast<std::size_t>(square_.size());
  parallel_for(count, worthwhile_threads(entries, threads_), 1, [&](std::size_t i, std::size_t) { body(i); });
}

bool FastFactor::replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before) {
  return replace(before, after, label, label_before, nullptr, nullptr);
}

bool FastFactor::replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before, const Matrix& right_sides, Matrix& solutions) {
  solutions.resize(right_sides.rows(), right_sides.cols());
  const bool intact = replace(before, after, label, label_before, &right_sides, &solutions);
  if (!inverse_.empty()) return intact;
  std::vector<std::size_t> all(hessian_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  solutions = solve(right_sides, all);
  return intact;
}

bool FastFactor::replace(const BlockRow& before, const BlockRow& after, std::uint32_t label, std::uint32_t label_before,
                         const Matrix* right_sides, Matrix* solutions) {
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
  for_each(hessian_.size(), [&](std::size_t k) {
    // The sign of a margin decides about its curvature: l'' of huber-svm is not even.
    const auto curvature = [&](const BlockRow& row, std::uint32_t of) {
      return loss_.curvature((of == k ? 1.0 : -1.0) * dot(row, anchor_.col(static_cast<Index>(k))));
    };
    const double added = curvature(after, label);
    const double taken = curvature(before, label_before);
    add_squares_to_lower(rows, Eigen::Vector2d(added, -taken), hessian_[k]);
    if (inverse_.empty()) return;
    // Up before down.  The matrix in between is then the larger one, and the second change stays away from zero.
    const Eigen::Vector2d sigmas(added, -taken);
    if (solutions == nullptr) {
      intact[k] = inverse_[k].add(rows, sigmas) ? 1 : 0;
    } else {
      const auto column = static_cast<Index>(k);
      Vector solution;
      intact[k] = inverse_[k].add_and_solve(rows, sigmas, right_sides->col(column), solution) ? 1 : 0;
      solutions->col(column) = solution;
    }
  });
  wipe_matrix(rows);  // one of them may be a row that goes
  return std::find(intact.begin(), intact.end(), 0) == intact.end();
}

Matrix FastFactor::solve(const Matrix& gradient_change, std::span<const std::size_t> classes) const {
  Matrix steps(gradient_change.rows(), gradient_change.cols());
  for_each(classes.size(), [&](std::size_t c) {
    const auto column = static_cast<Index>(c);
    if (!inverse_.empty()) {
      steps.col(column) = inverse_[classes[c]].times(gradient_change.col(column));
      return;
    }
    Matrix factor = hessian_[classes[c]];
    Vector step = gradient_change.col(column);
    if (cholesky_in_place(factor)) {
      cholesky_solve_in_place(factor, step);
    } else {
      step.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    wipe_matrix(factor);
    steps.col(column) = step;
  });
  return steps;
}

FastFactor::Growth FastFactor::growth(const Matrix& weights, const Matrix& steps, const Matrix& gradient_change,
                                      double ridge, std::span<const std::size_t> classes) const {
  const double width = static_cast<double>(square_.rows());
  const double spectral = std::sqrt(spectral_square_);
  const double gamma_1 = loss_.curvature_bound();
  const double kappa = loss_.curvature_log_lipschitz();
  // entry_error of docs/theory.md, "The fast factor".  Entries of A and C have gone through `roundings_` roundings.
  // Their terms have an absolute sum of at most 2 frobenius_square_ (times gamma_1 for A).  Products with a vector add
  // `width` roundings.
  const double entry_error = 2 * rounding_factor(roundings_ + width + 8) * frobenius_square_;
  const Index count = steps.cols();
  // v and w - w_s side by side: one pass over C, and one over A, serves both.
  Matrix moves(steps.rows(), 2 * count);
  moves.leftCols(count) = steps;
  for (Index c = 0; c < count; ++c) {
    moves.col(count + c) = weights.col(c) - anchor_.col(static_cast<Index>(classes[static_cast<std::size_t>(c)]));
  }
  const Matrix squares = symmetric_product(square_, moves, threads_);
  Growth result{Matrix(steps.rows(), count), Vector(count), Vector(count)};
  for_each(classes.size(), [&](std::size_t c) {
    const auto k = static_cast<Index>(c);
    Matrix pair(steps.rows(), 2);
    pair << moves.col(k), moves.col(count + k);
    const Matrix images = lower_product(hessian_[classes[c]], pair);
    const Vector v = steps.col(k);
    const double lengths[2] = {v.norm(), pair.col(1).norm()};
    const double anchor_norm = anchor_.col(static_cast<Index>(classes[c])).norm();
    // A curvature at the anchor errs by 8 eta gamma_1 (Lemma 8) and by what its margin errs.  Twice, because a row that
    // went was added with one such error and subtracted with another.
    const double curvature_error =
        2 *
        (8 * kUnitRoundoff * gamma_1 +
         loss_.curvature_lipschitz() * rounding_factor(width + 2) * row_norm_ * anchor_norm) *
        frobenius_square_;
    // |computed A x - true A x| <= product_error |x|.
    const double product_error =
        gamma_1 * entry_error + curvature_error + 4 * rounding_factor(roundings_ + width + 4) * largest_ridge_;
    double seen[2];    // |Z v| and |Z (w - w_s)|
    double curved[2];  // the same with every row weighted by the root of its curvature at the anchor
    for (const Index j : {0, 1}) {
      const double length = lengths[j];
      // sqrt(x^T C x) = |Z x|.  Rounding may make the product negative; the error term covers that.
      const double square = std::max(0.0, pair.col(j).dot(squares.col(j * count + k)));
      // w - w_s is rounded itself, by at most eta of its length.
      const double of_move = kUnitRoundoff * spectral * length;
      seen[j] = std::sqrt(square + entry_error * length * length) + of_move;
      // sqrt(x^T A x - ridge_s |x|^2) = |D_s^(1/2) Z x|.
      const double weighted = std::max(0.0, pair.col(j).dot(images.col(j)) - ridge_ * length * length);
      curved[j] = std::sqrt(weighted + (product_error + rounding_factor(width + 8) * ridge_) * length * length) +
                  std::sqrt(gamma_1) * of_move;
    }
    // The first term of (12): how far l'' may have moved between the anchor and any point of the step.  Both bounds
    // hold, so the smaller one counts.
    double curvature = loss_.curvature_lipschitz() * row_norm_ * (seen[1] + seen[0] / 2) * seen[0];
    if (std::isfinite(kappa)) {
      const double farthest =
          kappa * std::min(seen[0] + seen[1], row_norm_ * (lengths[0] + lengths[1])) * (1 + rounding_factor(width + 8));
      // (e^x - 1) / x, which is below e^x.
      curvature = std::min(curvature, kappa * std::exp(farthest) * row_norm_ * (curved[1] + curved[0] / 2) * curved[0]);
    }

    // The second term of (12), evaluated and not assumed: A v + (ridge - ridge_s) v - Delta.
    result.defect.col(k) = images.col(0) + (ridge - ridge_) * v - gradient_change.col(k);
    const double of_products = product_error * lengths[0] + 8 * kUnitRoundoff * gradient_change.col(k).norm();
    // The kept weights are fl(w + v).  This moves the gradient by at most |H| times the rounding.  The ridge is rounded
    // too, before and after a graph goes or comes.  6 times the largest ridge since the anchor covers both.
    const double new_norm = weights.col(k).norm() + lengths[0];
    const double of_weights = kUnitRoundoff * (gamma_1 * spectral_square_ + 6 * largest_ridge_) * new_norm;
    const double rounding = of_products + of_weights;
    const double round_up = 1 + rounding_factor(width + 32);
    result.beyond_defect(k) = (curvature + rounding) * round_up;
    result.upper_bound(k) = (result.defect.col(k).norm() + curvature + rounding) * round_up;
  });
  return result;
}

void FastFactor::wipe() noexcept {
  for (Matrix& A : hessian_) wipe_matrix(A);
  for (UpdatableInverse& inverse : inverse_) inverse.wipe();
  wipe_matrix(square_);
  wipe_matrix(anchor_);
}

}  // namespace unscatter
