#include "unscatter/linalg/updatable_inverse.h"

#include <cmath>
#include <span>
#include <utility>

#include "linalg/dense_kernels.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/wipe.h"

namespace unscatter {
namespace {

// Pivots below this share of what they were made of are rounding errors as likely as not.
constexpr double kSmallestPivot = 1e-10;

// P += factor x x^T
void add_square_of(Matrix& P, const Vector& x, double factor) {
  const Vector scaled = factor * x;
  dense::kernels().add_outer(P.data(), P.rows(), x.data(), scaled.data());
}

}  // namespace

std::optional<UpdatableInverse> UpdatableInverse::of(Matrix A) {
  invariant(A.rows() == A.cols(), "an inverse is of a square matrix");
  if (!dense::kernels().invert(A.data(), A.rows()) || !A.diagonal().allFinite()) return std::nullopt;
  return UpdatableInverse(std::move(A));
}

Matrix UpdatableInverse::times(const Matrix& X) const {
  invariant(X.rows() == inverse_.rows(), "UpdatableInverse: a factor of the wrong height");
  Matrix result(X.rows(), X.cols());
  dense::kernels().multiply(inverse_.data(), inverse_.rows(), X.data(), X.cols(), result.data());
  return result;
}

bool UpdatableInverse::add(const Vector& x, double sigma) {
  const Vector image = times(x);
  const double pivot = 1 + sigma * x.dot(image);
  if (!(pivot > kSmallestPivot) || !std::isfinite(pivot)) return false;
  add_square_of(inverse_, image, -sigma / pivot);
  return true;
}

bool UpdatableInverse::replace_line(std::size_t i, const Vector& line) {
  const auto at = static_cast<Eigen::Index>(i);
  invariant(at < order() && line.size() == order(), "replace_line(): a line of the matrix");
  // Without the line: P - p p^T / p_i with p = P e_i, whose row and column i vanish.
  const Vector crossed = inverse_.col(at);
  if (!(crossed(at) > 0) || !std::isfinite(crossed(at))) return false;
  add_square_of(inverse_, crossed, -1 / crossed(at));
  inverse_.col(at).setZero();
  inverse_.row(at).setZero();
  // With the new one: P + (P b - e_i) (P b - e_i)^T / (line_i - b.P b), b the line without its entry i.
  Vector beside = line;
  beside(at) = 0;
  Vector image = times(beside);
  const double pivot = line(at) - beside.dot(image);
  if (!(pivot > kSmallestPivot * std::abs(line(at))) || !std::isfinite(pivot)) return false;
  image(at) = -1;
  add_square_of(inverse_, image, 1 / pivot);
  return true;
}

void UpdatableInverse::wipe() noexcept {
  unscatter::wipe(std::as_writable_bytes(std::span(inverse_.data(), static_cast<std::size_t>(inverse_.size()))));
}

}  // namespace unscatter
