#include "linalg/updatable_inverse.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "linalg/kernels.h"
#include "linalg/row_products.h"
#include "linalg/wipe_matrix.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// A pivot is a difference of numbers of about the size it is compared with.  Below this share of that size it may be
// nothing but rounding errors, and dividing by it would fill P with them.
constexpr double kSmallestPivot = 1e-10;

// Single precision loses about 2^-24 = 6e-8 times the condition number.  Up to this condition a product is right to
// about 1e-3, which is enough for a step of an iteration.
constexpr double kMostConditionOfSingle = 1e4 * 1.6;
// Ten times that: right to about 1e-2.
constexpr double kMostConditionOfUsefulSingle = 10 * kMostConditionOfSingle;

double most_condition(InversePrecision precision) {
  switch (precision) {
    case InversePrecision::kDouble:
    case InversePrecision::kDoubleLower: return 0;
    case InversePrecision::kSingleIfEnough: return kMostConditionOfSingle;
    case InversePrecision::kSingleIfUseful: return kMostConditionOfUsefulSingle;
  }
  return 0;
}

// How many changes of rank one may wait.  Enough that one pass over P serves many.  Few enough that they cost little in
// every product: order / 16 of them take an eighth of the time that P itself takes.
Eigen::Index most_pending(Eigen::Index order) { return std::clamp<Eigen::Index>(order / 16, 1, 32); }

}  // namespace

std::optional<UpdatableInverse> UpdatableInverse::of(Matrix A, InversePrecision precision) {
  invariant(A.rows() == A.cols(), "an inverse is of a square matrix");
  const double trace = A.trace();
  if (!kernel::kernels().invert(A.data(), A.rows()) || !A.diagonal().allFinite()) return std::nullopt;
  // The condition number |A| |A^-1| is at most the product of the traces.  It is usually near the product of the
  // largest entries.  The code takes a number between: the trace of A and the largest diagonal entry of A^-1.
  const bool enough = trace * A.diagonal().maxCoeff() <= most_condition(precision);
  UpdatableInverse result(std::move(A));
  if (enough) {
    result.single_ = result.base_.cast<float>();
    result.base_.resize(0, 0);
  }
  if (precision == InversePrecision::kDoubleLower) {
    result.lower_ = true;
    // It would go on holding rows that went.
    result.base_.triangularView<Eigen::StrictlyUpper>().setZero();
  }
  return result;
}

Matrix UpdatableInverse::base_times(const Matrix& X, std::size_t threads) const {
  Matrix result(X.rows(), X.cols());
  if (is_single()) {
    // Gradients near the end of a descent may be smaller than any single-precision number.  So columns are scaled.
    Eigen::MatrixXf from(X.rows(), X.cols());
    Vector scales(X.cols());
    for (Eigen::Index c = 0; c < X.cols(); ++c) {
      scales(c) = X.col(c).cwiseAbs().maxCoeff();
      from.col(c) = (X.col(c) / (scales(c) > 0 ? scales(c) : 1)).cast<float>();
    }
    Eigen::MatrixXf to(X.rows(), X.cols());
    constexpr Eigen::Index kAtOnce = 64;
    const auto blocks = static_cast<std::size_t>((order() + kAtOnce - 1) / kAtOnce);
    const auto entries = static_cast<std::size_t>(single_.size() * X.cols());
    parallel_for(blocks, worthwhile_threads(entries, threads), 1, [&](std::size_t block, std::size_t) {
      const Eigen::Index first = static_cast<Eigen::Index>(block) * kAtOnce;
      kernel::kernels().multiply_single(single_.data(), order(), first, std::min(first + kAtOnce, order()), from.data(),
                                        X.cols(), to.data());
    });
    for (Eigen::Index c = 0; c < X.cols(); ++c) {
      // 0, or NaN
      result.col(c) =
          scales(c) > 0 ? Vector(scales(c) * to.col(c).cast<double>()) : Vector::Constant(order(), scales(c));
    }
    wipe_matrix(from);  // a row that goes may be among them
    return result;
  }
  if (lower_) return lower_product(base_, X, threads);
  kernel::kernels().multiply(base_.data(), base_.rows(), X.data(), X.cols(), result.data());
  return result;
}

Matrix UpdatableInverse::times(const Matrix& X, std::size_t threads) const {
  invariant(X.rows() == order(), "UpdatableInverse: a factor of the wrong height");
  Matrix result = base_times(X, threads);
  if (pending_ > 0) {
    const auto images = images_.leftCols(pending_);
    // Column by column.  There are few of them, and preparing a product of matrices takes longer.
    for (Eigen::Index c = 0; c < X.cols(); ++c) {
      const Vector shares = factors_.head(pending_).cwiseProduct(images.transpose() * X.col(c));
      result.col(c).noalias() += images * shares;
    }
  }
  return result;
}

double UpdatableInverse::diagonal(std::size_t i) const {
  const auto at = static_cast<Eigen::Index>(i);
  double result = is_single() ? double{single_(at, at)} : base_(at, at);
  for (Eigen::Index j = 0; j < pending_; ++j) result += factors_(j) * images_(at, j) * images_(at, j);
  return result;
}

Vector UpdatableInverse::line(Eigen::Index i) const {
  invariant(!lower_, "one triangle has no whole lines");
  Vector result = is_single() ? Vector(single_.col(i).cast<double>()) : Vector(base_.col(i));
  if (pending_ > 0) {
    const auto images = images_.leftCols(pending_);
    result.noalias() += images * factors_.head(pending_).cwiseProduct(images.row(i).transpose());
  }
  return result;
}

void UpdatableInverse::add_square_of(const Vector& x, double factor, std::size_t threads) {
  if (images_.size() == 0) {
    images_.resize(order(), most_pending(order()));
    factors_.resize(images_.cols());
  }
  images_.col(pending_) = x;
  factors_(pending_) = factor;
  if (++pending_ < images_.cols()) return;
  // No place is left: all changes that wait are worked in by one pass over P.
  if (lower_) {
    add_squares_to_lower(images_, factors_, base_, threads);
    wipe_matrix(images_);
    pending_ = 0;
    return;
  }
  const Matrix scaled = images_ * factors_.asDiagonal();
  if (is_single()) {
    const Eigen::MatrixXf left = images_.cast<float>();
    const Eigen::MatrixXf right = scaled.cast<float>();
    kernel::kernels().add_product_single(single_.data(), order(), left.data(), right.data(), pending_);
  } else {
    kernel::kernels().add_product(base_.data(), order(), images_.data(), scaled.data(), pending_);
  }
  wipe_matrix(images_);
  pending_ = 0;
}

bool UpdatableInverse::add(const Matrix& X, const Vector& sigmas) {
  Matrix images = times(X);  // one pass over P for all columns
  return add_images(X, sigmas, X, images);
}

bool UpdatableInverse::add_and_solve(const Matrix& X, const Vector& sigmas, const Matrix& right_sides,
                                     Matrix& solutions, std::size_t threads) {
  Matrix columns(X.rows(), X.cols() + right_sides.cols());
  columns << X, right_sides;
  Matrix images = times(columns, threads);
  const bool intact = add_images(X, sigmas, columns, images, threads);
  solutions = images.rightCols(right_sides.cols());
  wipe_matrix(columns);  // a row that goes may be among them
  return intact;
}

bool UpdatableInverse::add_and_solve_own(const Matrix& X, const Vector& sigmas, Matrix& solutions,
                                         std::size_t threads) {
  const Matrix once = times(X, threads);
  Matrix columns(X.rows(), 2 * X.cols());
  columns << X, X;
  Matrix images(X.rows(), 2 * X.cols());
  images << once, once;
  const bool intact = add_images(X, sigmas, columns, images, threads);
  solutions = images.rightCols(X.cols());
  wipe_matrix(columns);  // a row that goes may be among them
  return intact;
}

bool UpdatableInverse::add_images(const Matrix& X, const Vector& sigmas, const Matrix& others, Matrix& images,
                                  std::size_t threads) {
  invariant(X.cols() == sigmas.size(), "add(): one factor per column");
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const Vector image = images.col(j);
    // Sherman-Morrison: P - sigma / pivot (P x) (P x)^T.  The pivot is the factor by which the determinant changes.  If
    // it is not positive, the changed matrix is not positive definite.
    const double pivot = 1 + sigmas(j) * X.col(j).dot(image);
    if (!(pivot > kSmallestPivot) || !std::isfinite(pivot)) return false;
    const double factor = -sigmas(j) / pivot;
    // The images of later columns were made with P as it was before this change.  They get the change here.
    for (Eigen::Index c = j + 1; c < images.cols(); ++c) images.col(c) += factor * image.dot(others.col(c)) * image;
    add_square_of(image, factor, threads);
  }
  return true;
}

bool UpdatableInverse::replace_line(std::size_t i, const Vector& new_line) {
  const auto at = static_cast<Eigen::Index>(i);
  invariant(at < order() && new_line.size() == order(), "replace_line(): a line of the matrix");
  // Crossing line i out: P - p p^T / p_i with p = P e_i.  Row and column i of the result vanish, up to rounding.
  const Vector crossed = line(at);
  if (!(crossed(at) > 0) || !std::isfinite(crossed(at))) return false;
  add_square_of(crossed, -1 / crossed(at));
  // Putting the new line in: P + (P b - e_i) (P b - e_i)^T / (line_i - b.P b), where b is the line without its entry i.
  Vector beside = new_line;
  beside(at) = 0;
  Vector image = times(beside);
  const double pivot = new_line(at) - beside.dot(image);
  if (!(pivot > kSmallestPivot * std::abs(new_line(at))) || !std::isfinite(pivot)) return false;
  // P b has a 0 in place i, up to rounding: row i of P has just been crossed out.  So P b - e_i has -1 there.
  image(at) = -1;
  add_square_of(image, 1 / pivot);
  return true;
}

namespace {

// `matrix` in the upper left corner of one of so many rows and columns, zeros elsewhere.  Overwrites what was there
// before: an inverse is made of rows.
template <typename Dense>
void enlarge(Dense& matrix, Eigen::Index rows, Eigen::Index columns) {
  Dense larger = Dense::Zero(rows, columns);
  larger.topLeftCorner(matrix.rows(), matrix.cols()) = matrix;
  wipe_matrix(matrix);
  matrix = std::move(larger);
}

}  // namespace

void UpdatableInverse::append_lines(std::size_t count, double diagonal) {
  invariant(diagonal > 0 && !lower_, "append_lines(): the matrix stays positive definite, both triangles");
  // The inverse of a matrix of two blocks has the inverses of the blocks.
  const auto added = static_cast<Eigen::Index>(count);
  const Eigen::Index larger = order() + added;
  if (images_.size() != 0) enlarge(images_, larger, images_.cols());
  if (is_single()) {
    enlarge(single_, larger, larger);
    single_.diagonal().tail(added).setConstant(static_cast<float>(1 / diagonal));
  } else {
    enlarge(base_, larger, larger);
    base_.diagonal().tail(added).setConstant(1 / diagonal);
  }
}

Vector UpdatableInverse::learn(const Vector& step, const Vector& before, const Vector& after) {
  Vector result = times(after);
  const Vector change = before - after;
  // Positive if the function is convex along the step.  If it is not, a BFGS update would spoil the definiteness of P.
  const double product = step.dot(change);
  if (!(product > 0) || !std::isfinite(product)) return result;
  // With s = step, y = change and u = P y, the update is P + c s s^T - (s u^T + u s^T) / s.y, where c = (1 + y.u / s.y)
  // / s.y.  As two squares, which is what add_square_of() takes: one of s - u / (c s.y) and one of u.  The vector u
  // needs no product: P y = P before - P after, and both are known.
  const Vector image = step - result;
  const double c = (1 + change.dot(image) / product) / product;
  const double share = 1 / (c * product);
  if (!std::isfinite(c) || !std::isfinite(share)) return result;
  const Vector mixed = step - share * image;
  result += c * mixed.dot(after) * mixed - share / product * image.dot(after) * image;
  add_square_of(mixed, c);
  add_square_of(image, -share / product);
  return result;
}

void UpdatableInverse::wipe() noexcept {
  wipe_matrix(base_);
  wipe_matrix(single_);
  wipe_matrix(images_);
  pending_ = 0;
}

}  // namespace unscatter
