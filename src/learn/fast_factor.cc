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

std::vector<std::size_t> all_of(std::size_t classes) {
  std::vector<std::size_t> all(classes);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Inverses that do not fit the caches near the processor are read from far away at every step, and that is what a step
// costs.  Half the bytes are then worth some digits: the bound knows what the step left over, and the next one takes it
// away.
//
// The inverse of all classes meets two columns as a rule.  One triangle in double precision then takes as few bytes,
// and leaves next to nothing over.
InversePrecision inverse_precision(std::size_t matrices, std::size_t width, bool shared) {
  constexpr std::size_t kNearBytes = std::size_t{1} << 22;
  if (matrices * width * width * sizeof(double) <= kNearBytes) return InversePrecision::kDouble;
  return shared ? InversePrecision::kDoubleLower : InversePrecision::kSingleIfUseful;
}

// The sums of an anchor at `weights`.
KeptCurvature numbers_at(const Objective& objective, const Matrix& weights) {
  const SparseBlockRows& Z = objective.rows();
  const Matrix curvatures = objective.curvatures(objective.margins(weights));
  AnchorSums sums(objective.loss(), weights);
  if (Z.share() != nullptr) {
    sums.add_shared(Z, curvatures, objective.threads());
    return sums.finish(objective.ridge(), Z.total_rows());
  }
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

// A^-1 right_sides, of a lower triangle.  Not numbers where A is not positive definite at working precision.
Matrix solved_by_a_factor(const Matrix& A, Matrix right_sides) {
  Matrix factor = A;
  if (cholesky_in_place(factor)) {
    cholesky_solve_in_place(factor, right_sides);
  } else {
    right_sides.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  wipe_matrix(factor);
  return right_sides;
}

}  // namespace

std::optional<FastFactor> FastFactor::anchor(const Objective& objective, const Matrix& weights) {
  const FastFactor empty(objective, weights);
  const std::size_t K = empty.matrices();
  KeptCurvature numbers = numbers_at(objective, weights);
  const InversePrecision precision = inverse_precision(K, objective.width(), empty.is_shared());
  // A stays beside its inverse: the bound multiplies by A, so that it sees whatever the inverse has drifted by.
  std::vector<std::optional<UpdatableInverse>> inverses(K);
  parallel_for(K, objective.threads(), 1,
               [&](std::size_t k, std::size_t) { inverses[k] = UpdatableInverse::of(numbers.hessians[k], precision); });
  FastFactor result = of(objective, std::move(numbers));
  for (std::optional<UpdatableInverse>& inverse : inverses) {
    if (!inverse) return std::nullopt;
    result.inverse_.push_back(*std::move(inverse));
  }
  return result;
}

std::optional<FastFactor> FastFactor::restore(const Objective& objective, KeptCurvature numbers) {
  const auto width = static_cast<Index>(objective.width());
  const auto square = [width](const Matrix& matrix) {
    return matrix.rows() == width && matrix.cols() == width && matrix.allFinite();
  };
  const Matrix& anchor = numbers.anchor;
  const FastFactor empty(objective, anchor);
  const bool fits = anchor.rows() == width && anchor.cols() == static_cast<Index>(objective.classes()) &&
                    anchor.allFinite() && numbers.hessians.size() == empty.matrices() &&
                    std::all_of(numbers.hessians.begin(), numbers.hessians.end(), square) &&
                    (empty.is_shared() ? numbers.square.size() == 0 : square(numbers.square));
  const double bounds =
      numbers.ridge + numbers.largest_ridge + numbers.spectral_square + numbers.frobenius_square + numbers.row_norm;
  if (!fits || !std::isfinite(bounds) || !std::isfinite(numbers.roundings)) return std::nullopt;
  return of(objective, std::move(numbers));
}

FastFactor FastFactor::of(const Objective& objective, KeptCurvature numbers) {
  FastFactor result(objective, numbers.anchor);
  result.ridge_ = numbers.ridge;
  result.largest_ridge_ = numbers.largest_ridge;
  result.hessian_ = std::move(numbers.hessians);
  for (Matrix& A : result.hessian_) forget_upper(A);
  result.square_ = std::move(numbers.square);
  forget_upper(result.square_);
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
  numbers.square.triangularView<Eigen::StrictlyUpper>() = numbers.square.transpose();
  return numbers;
}

void FastFactor::for_each(std::size_t count, const std::function<void(std::size_t i)>& body) const {
  const std::size_t entries = count * static_cast<std::size_t>(hessian_[0].size());
  parallel_for(count, worthwhile_threads(entries, threads_), 1, [&](std::size_t i, std::size_t) { body(i); });
}

void FastFactor::note_ridge(double ridge) noexcept {
  largest_ridge_ = std::max(largest_ridge_, ridge);
  if (!is_shared() || !inverse_.empty() || ridge == ridge_) return;
  hessian_[0].diagonal().array() += ridge - ridge_;
  ridge_ = ridge;
  roundings_ += 2;
}

bool FastFactor::replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before) {
  return replace(before, after, label, label_before, nullptr);
}

bool FastFactor::replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before, const Matrix& right_sides, const Matrix& weights, Step& step,
                             double may_leave) {
  if (inverse_.empty()) {
    // A factor of A needs A first.
    if (!replace(before, after, label, label_before, nullptr)) return false;
    step = {solve(right_sides, all_of(classes())), {}, {}};
    return true;
  }
  const Index images = is_shared() ? right_sides.cols() : 2 * right_sides.cols();
  step = {Matrix(right_sides.rows(), right_sides.cols()), Matrix(right_sides.rows(), images), {}};
  Asked asked{right_sides, weights, step, may_leave, {}};
  if (is_shared()) {
    // The gradient changes by -s l'(s w.z) z for the row that goes, and by s' l'(s' w.z') z' for the one that comes.
    asked.shares.resize(2, right_sides.cols());
    for (Index k = 0; k < right_sides.cols(); ++k) {
      const auto number = static_cast<std::uint32_t>(k);
      const auto of_row = [&](const BlockRow& row, std::uint32_t of) {
        const double sign = of == number ? 1 : -1;
        return sign * loss_.slope(sign * dot(row, weights.col(k)));
      };
      asked.shares(0, k) = -of_row(after, label);
      asked.shares(1, k) = of_row(before, label_before);
    }
  }
  return replace(before, after, label, label_before, &asked);
}

bool FastFactor::replace(const BlockRow& before, const BlockRow& after, std::uint32_t label, std::uint32_t label_before,
                         const Asked* asked) {
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
  Matrix rows = edited_rows(before, after, static_cast<std::size_t>(hessian_[0].rows()));
  // The sign of a margin decides about its curvature: l'' of huber-svm is not even.
  const auto curvature = [&](const BlockRow& row, std::uint32_t of, std::size_t k) {
    return loss_.curvature((of == k ? 1.0 : -1.0) * dot(row, anchor_.col(static_cast<Index>(k))));
  };
  // Up before down.  The matrix in between is then the larger one, and the second change stays away from zero.
  const auto sigmas = [&](std::size_t k) {
    return Eigen::Vector2d(curvature(after, label, k), -curvature(before, label_before, k));
  };
  std::vector<char> intact(matrices(), 1);
  if (is_shared()) {
    intact[0] = replace_in_shared(rows, sigmas(0), asked) ? 1 : 0;
  } else {
    // C is one more matrix beside those of the classes.
    for_each(matrices() + 1, [&](std::size_t k) {
      if (k == matrices()) {
        add_squares_to_lower(rows, Eigen::Vector2d(1, -1), square_);
      } else {
        intact[k] = replace_in_one(k, rows, sigmas(k), asked) ? 1 : 0;
      }
    });
  }
  wipe_matrix(rows);  // one of them may be a row that goes
  return std::find(intact.begin(), intact.end(), 0) == intact.end();
}

bool FastFactor::replace_in_one(std::size_t k, const Matrix& rows, const Vector& sigmas, const Asked* asked) {
  if (asked == nullptr) {
    add_squares_to_lower(rows, sigmas, hessian_[k]);
    return inverse_.empty() || inverse_[k].add(rows, sigmas);
  }
  const auto column = static_cast<Index>(k);
  Matrix solution;
  const bool intact = inverse_[k].add_and_solve(rows, sigmas, asked->right_sides.col(column), solution);
  asked->step.columns.col(column) = solution;
  // v and w - w_s side by side.  A changes and goes through both products in one pass.
  Matrix pair(solution.rows(), 2);
  pair << solution, asked->weights.col(column) - anchor_.col(column);
  const Matrix images = lower_product_of_changed(rows, sigmas, hessian_[k], pair);
  asked->step.images.col(column) = images.col(0);
  asked->step.images.col(static_cast<Index>(classes()) + column) = images.col(1);
  return intact;
}

bool FastFactor::replace_in_shared(const Matrix& rows, const Vector& sigmas, const Asked* asked) {
  if (asked == nullptr) {
    add_squares_to_lower(rows, sigmas, hessian_[0]);
    return inverse_.empty() || inverse_[0].add(rows, sigmas);
  }
  // Whatever the shares are, the bound sees the step that comes of them.  So they decide about speed only.
  if (asked->may_leave > 0 && (asked->right_sides - rows * asked->shares).norm() <= asked->may_leave) {
    Matrix columns;  // A^-1 rows
    const bool intact = inverse_[0].add_and_solve_own(rows, sigmas, columns, threads_);
    const Matrix images = lower_product_of_changed(rows, sigmas, hessian_[0], columns, threads_);
    asked->step.columns = columns * asked->shares;
    asked->step.images = images * asked->shares;
    asked->step.lengths = (columns.colwise().norm() * asked->shares.cwiseAbs()).transpose();
    return intact;
  }
  const bool intact = inverse_[0].add_and_solve(rows, sigmas, asked->right_sides, asked->step.columns, threads_);
  asked->step.images = lower_product_of_changed(rows, sigmas, hessian_[0], asked->step.columns, threads_);
  return intact;
}

Matrix FastFactor::solve(const Matrix& gradient_change, std::span<const std::size_t> classes) const {
  if (is_shared() && !inverse_.empty()) return inverse_[0].times(gradient_change, threads_);
  if (is_shared()) return solved_by_a_factor(hessian_[0], gradient_change);
  Matrix steps(gradient_change.rows(), gradient_change.cols());
  for_each(classes.size(), [&](std::size_t c) {
    const auto column = static_cast<Index>(c);
    if (!inverse_.empty()) {
      steps.col(column) = inverse_[classes[c]].times(gradient_change.col(column));
    } else {
      steps.col(column) = solved_by_a_factor(hessian(classes[c]), gradient_change.col(column));
    }
  });
  return steps;
}

Matrix FastFactor::moves_of(const Matrix& weights, const Matrix& steps, std::span<const std::size_t> classes) const {
  if (is_shared()) return steps;
  const Index count = steps.cols();
  Matrix moves(steps.rows(), 2 * count);
  moves.leftCols(count) = steps;
  for (Index c = 0; c < count; ++c) {
    moves.col(count + c) = weights.col(c) - anchor_.col(static_cast<Index>(classes[static_cast<std::size_t>(c)]));
  }
  return moves;
}

Matrix FastFactor::images_of(const Matrix& moves, std::span<const std::size_t> classes) const {
  if (is_shared()) return lower_product(hessian_[0], moves, threads_);
  Matrix images(moves.rows(), moves.cols());
  const Index count = moves.cols() / 2;
  for_each(classes.size(), [&](std::size_t c) {
    const auto k = static_cast<Index>(c);
    Matrix pair(moves.rows(), 2);
    pair << moves.col(k), moves.col(count + k);
    const Matrix of_pair = lower_product(hessian_[classes[c]], pair);
    images.col(k) = of_pair.col(0);
    images.col(count + k) = of_pair.col(1);
  });
  return images;
}

FastFactor::Growth FastFactor::growth(const Matrix& weights, const Matrix& steps, const Matrix& gradient_change,
                                      double ridge, std::span<const std::size_t> classes) const {
  const Matrix moves = moves_of(weights, steps, classes);
  return growth_of(weights, moves, images_of(moves, classes), {}, gradient_change, ridge, classes);
}

FastFactor::Growth FastFactor::growth(const Matrix& weights, const Step& step, const Matrix& gradient_change,
                                      double ridge) const {
  const std::vector<std::size_t> all = all_of(classes());
  if (step.images.size() == 0) return growth(weights, step.columns, gradient_change, ridge, all);
  return growth_of(weights, moves_of(weights, step.columns, all), step.images, step.lengths, gradient_change, ridge,
                   all);
}

// Where no margin can have moved by more than this, (12') is within a factor of two of what it is with the best m, and
// C is not looked at.
constexpr double kNearAnchor = 0.7;

bool FastFactor::needs_square(const Matrix& moves) const {
  if (is_shared()) return false;
  const double kappa = loss_.curvature_log_lipschitz();
  if (!std::isfinite(kappa)) return true;
  const Vector lengths = moves.colwise().norm().transpose();
  const Index count = moves.cols() / 2;
  const double farthest = (lengths.head(count) + lengths.tail(count)).maxCoeff();
  return !(kappa * row_norm_ * farthest <= kNearAnchor);
}

double FastFactor::drift(const Seen& away, const Seen& step, double width) const {
  // Both bounds hold, so the smaller one counts.
  double result = std::numeric_limits<double>::infinity();
  if (std::isfinite(step.by_rows)) {
    result = loss_.curvature_lipschitz() * row_norm_ * (away.by_rows + step.by_rows / 2) * step.by_rows;
  }
  const double kappa = loss_.curvature_log_lipschitz();
  if (!std::isfinite(kappa)) return result;
  const double farthest = kappa * std::min(step.by_rows + away.by_rows, row_norm_ * (step.length + away.length)) *
                          (1 + rounding_factor(width + 8));
  // (e^x - 1) / x, which is below e^x.
  return std::min(result, kappa * std::exp(farthest) * row_norm_ * (away.curved + step.curved / 2) * step.curved);
}

double FastFactor::entry_error() const {
  // Entries of A and C have gone through `roundings_` roundings.  Their terms have an absolute sum of at most 2
  // frobenius_square_ (times gamma_1 for A).  Products with a vector add `width` roundings.
  return 2 * rounding_factor(roundings_ + static_cast<double>(anchor_.rows()) + 8) * frobenius_square_;
}

double FastFactor::product_error(std::size_t k) const {
  const double width = static_cast<double>(anchor_.rows());
  const double gamma_1 = loss_.curvature_bound();
  const double anchor_norm = anchor_.col(static_cast<Index>(k)).norm();
  // A curvature at the anchor errs by 8 eta gamma_1 (Lemma 8) and by what its margin errs.  Twice, because a row that
  // went was added with one such error and subtracted with another.
  const double curvature_error = 2 *
                                 (8 * kUnitRoundoff * gamma_1 +
                                  loss_.curvature_lipschitz() * rounding_factor(width + 2) * row_norm_ * anchor_norm) *
                                 frobenius_square_;
  return gamma_1 * entry_error() + curvature_error + 4 * rounding_factor(roundings_ + width + 4) * largest_ridge_;
}

std::optional<AnchoredProduct> FastFactor::product_from_anchor(const Matrix& weights_after, const Step& step,
                                                               double ridge,
                                                               std::span<const std::size_t> classes) const {
  const auto all = static_cast<Index>(this->classes());
  if (step.images.cols() != 2 * all) return std::nullopt;
  AnchoredProduct result{Matrix(weights_after.rows(), weights_after.cols()), Vector(weights_after.cols())};
  for (Index c = 0; c < weights_after.cols(); ++c) {
    const std::size_t label = classes[static_cast<std::size_t>(c)];
    const auto k = static_cast<Index>(label);
    const Vector x = weights_after.col(c) - anchor_.col(k);
    result.columns.col(c) = step.images.col(k) + step.images.col(all + k) + (ridge - ridge_) * x;
    // The images are those of e = fl(w - w_s) and of v.  Their sum is w' - w_s up to the rounding of e and of
    // w' = fl(w + v), which A and the ridge multiply.
    const double v = step.columns.col(k).norm();
    const double e = x.norm() + v + kUnitRoundoff * weights_after.col(c).norm();
    const double moved = kUnitRoundoff * (weights_after.col(c).norm() + 2 * e + 2 * v);
    const double lipschitz = loss_.curvature_bound() * spectral_square_ + 6 * largest_ridge_;
    result.error(c) = (product_error(label) * (e + v) + lipschitz * moved +
                       8 * kUnitRoundoff *
                           (step.images.col(k).norm() + step.images.col(all + k).norm() + largest_ridge_ * x.norm())) *
                      (1 + rounding_factor(static_cast<double>(x.size()) + 32));
  }
  return result;
}

FastFactor::Growth FastFactor::growth_of(const Matrix& weights, const Matrix& moves, const Matrix& images,
                                         const Vector& lengths, const Matrix& gradient_change, double ridge,
                                         std::span<const std::size_t> classes) const {
  const double width = static_cast<double>(moves.rows());
  const double spectral = std::sqrt(spectral_square_);
  const double gamma_1 = loss_.curvature_bound();
  const double entry_error = this->entry_error();
  const Index count = gradient_change.cols();
  const Matrix squares = needs_square(moves) ? lower_product(square_, moves, threads_) : Matrix();
  Growth result{Matrix(moves.rows(), count), Vector(count), Vector(count)};
  for (Index k = 0; k < count; ++k) {
    const auto v = moves.col(k);
    const double length = v.norm();
    const double product_error = this->product_error(classes[static_cast<std::size_t>(k)]);
    // What may be seen of a move x, from what was computed: |Z x|, and the same with every row weighted by the root of
    // its curvature at the anchor.
    const auto seen = [&](Index column) {
      const double size = moves.col(column).norm();
      Seen found{size, std::numeric_limits<double>::infinity(), 0};
      // w - w_s is rounded itself, by at most eta of its length.
      const double of_move = kUnitRoundoff * spectral * size;
      if (squares.size() != 0) {
        // sqrt(x^T C x) = |Z x|.  Rounding may make the product negative; the error term covers that.
        const double square = std::max(0.0, moves.col(column).dot(squares.col(column)));
        found.by_rows = std::sqrt(square + entry_error * size * size) + of_move;
      }
      // sqrt(x^T A x - ridge_s |x|^2) = |D_s^(1/2) Z x|.
      const double weighted = std::max(0.0, moves.col(column).dot(images.col(column)) - ridge_ * size * size);
      found.curved = std::sqrt(weighted + (product_error + rounding_factor(width + 8) * ridge_) * size * size) +
                     std::sqrt(gamma_1) * of_move;
      return found;
    };
    // The first term of (12): how far l'' may have moved between the anchor and any point of the step.
    const double curvature = is_shared() ? 0 : drift(seen(count + k), seen(k), width);

    // The second term of (12), evaluated and not assumed: A v + (ridge - ridge_s) v - Delta.
    result.defect.col(k) = images.col(k) + (ridge - ridge_) * v - gradient_change.col(k);
    // A step that was put together from other columns errs by their products.  Putting v and A v together takes three
    // roundings each, which A multiplies.
    const double multiplied = lengths.size() == 0 ? length : lengths(k);
    const double of_combination =
        lengths.size() == 0 ? 0 : 2 * rounding_factor(5) * (gamma_1 * spectral_square_ + largest_ridge_) * lengths(k);
    const double of_products =
        product_error * multiplied + of_combination + 8 * kUnitRoundoff * gradient_change.col(k).norm();
    // The kept weights are fl(w + v).  This moves the gradient by at most |H| times the rounding.  The ridge is rounded
    // too, before and after a graph goes or comes.  6 times the largest ridge since the anchor covers both.
    const double new_norm = weights.col(k).norm() + length;
    const double of_weights = kUnitRoundoff * (gamma_1 * spectral_square_ + 6 * largest_ridge_) * new_norm;
    const double rounding = of_products + of_weights;
    const double round_up = 1 + rounding_factor(width + 32);
    result.beyond_defect(k) = (curvature + rounding) * round_up;
    result.upper_bound(k) = (result.defect.col(k).norm() + curvature + rounding) * round_up;
  }
  return result;
}

void FastFactor::wipe() noexcept {
  for (Matrix& A : hessian_) wipe_matrix(A);
  for (UpdatableInverse& inverse : inverse_) inverse.wipe();
  wipe_matrix(square_);
  wipe_matrix(anchor_);
}

}  // namespace unscatter
