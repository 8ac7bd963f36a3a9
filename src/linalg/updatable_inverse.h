// The inverse of a symmetric positive definite matrix, kept while the matrix changes a little at a time.
//
// Explicit inverses are frowned upon for their rounding errors.  Here nothing rests on them: they say in which
// direction an iteration steps, and what comes of it is evaluated.  In exchange a solve is one product with a matrix,
// several times faster than two triangular solves, and every change is O(n^2).
//
// Changes of rank one are noted beside the inverse and worked into it several at a time, since adding a single one
// means to read and write all of it, which costs more than finding out what to add.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// How the numbers are kept.  kSingleIfEnough: in single precision, half as much memory to read, where A is so far from
// singular that products are still right to three digits.
enum class InversePrecision { kDouble, kSingleIfEnough };

// P = A^-1.  Movable; const access from any number of threads.
class UpdatableInverse {
 public:
  // Nothing if A is not positive definite at working precision.  Reads the lower triangle.
  [[nodiscard]] static std::optional<UpdatableInverse> of(Matrix A,
                                                          InversePrecision precision = InversePrecision::kDouble);

  [[nodiscard]] Eigen::Index order() const noexcept { return is_single() ? single_.rows() : base_.rows(); }
  [[nodiscard]] bool is_single() const noexcept { return single_.size() != 0; }
  // Entry (i, i) of A^-1.
  [[nodiscard]] double diagonal(std::size_t i) const;
  // A^-1 X
  [[nodiscard]] Matrix times(const Matrix& X) const;

  // A + sum of sigmas_j X_j X_j^T over the columns of X, one after the other [Golub13, Sec. 2.1.4].  False if a sum is
  // not positive definite at working precision; the inverse is then spoilt.
  [[nodiscard]] bool add(const Matrix& X, const Vector& sigmas);
  // A with `new_line` as its new row and column i.  What stood there is not needed: crossing the line out of A and
  // putting a new one in are each a rank-one change of P (both are Schur complements).  False as above.
  [[nodiscard]] bool replace_line(std::size_t i, const Vector& new_line);

  // A descent went by -step, step = A^-1 before, which turned its gradient from `before` to `after`.  Becomes the
  // nearest inverse, in the sense of Broyden, Fletcher, Goldfarb and Shanno [Nocedal06, Eq. 6.17], of a matrix that
  // would have shown this change: what there is to learn about one that has drifted.  Returns A^-1 after, as learned.
  // Learns nothing where gradients do not fall along the step.
  [[nodiscard]] Vector learn(const Vector& step, const Vector& before, const Vector& after);

  // Overwrites the numbers.
  void wipe() noexcept;

 private:
  explicit UpdatableInverse(Matrix inverse) : base_(std::move(inverse)) {}

  [[nodiscard]] Matrix base_times(const Matrix& X) const;
  // Column i of P.
  [[nodiscard]] Vector line(Eigen::Index i) const;
  // P += factor x x^T
  void add_square_of(const Vector& x, double factor);

  // P = base + sum of factors_j images_j images_j^T over j < pending.
  Matrix base_;  // both triangles; empty if the base is in single precision
  Eigen::MatrixXf single_;
  Matrix images_;
  Vector factors_;
  Eigen::Index pending_ = 0;
};

}  // namespace unscatter
