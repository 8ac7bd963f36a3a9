// The inverse of a symmetric positive definite matrix, kept while the matrix changes a little at a time.
//
// Explicit inverses are frowned upon for their rounding errors.  Here nothing rests on them: they say in which direction an
// iteration steps, and what comes of it is evaluated.  In exchange a solve is one product with a matrix, several times faster
// than two triangular solves, and every change is O(n^2).
#pragma once

#include <cstddef>
#include <optional>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// P = A^-1.  Movable; const access from any number of threads.
class UpdatableInverse {
 public:
  // Nothing if A is not positive definite at working precision.  Reads the lower triangle.
  [[nodiscard]] static std::optional<UpdatableInverse> of(Matrix A);

  [[nodiscard]] Eigen::Index order() const noexcept { return inverse_.rows(); }
  // A^-1 X
  [[nodiscard]] Matrix times(const Matrix& X) const;

  // A + sigma x x^T [Golub13, Sec. 2.1.4].  False if that is not positive definite at working precision; the inverse is then
  // spoilt.
  [[nodiscard]] bool add(const Vector& x, double sigma);
  // A with `line` as its new row and column i.  What stood there is not needed: crossing the line out of A and putting a new
  // one in are each a rank-one change of P (both are Schur complements).  False as above.
  [[nodiscard]] bool replace_line(std::size_t i, const Vector& line);

  // Overwrites the numbers.
  void wipe() noexcept;

 private:
  explicit UpdatableInverse(Matrix inverse) : inverse_(std::move(inverse)) {}

  Matrix inverse_;  // both triangles
};

}  // namespace unscatter
