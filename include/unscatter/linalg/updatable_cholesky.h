// A Cholesky factor that follows its matrix through rank-one changes.
#pragma once

#include <memory>
#include <optional>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// A = L L^T, kept through A + sigma x x^T for sigma of either sign in O(d^2) each, instead of O(d^3) for a new factor.
// Rounding makes the factor drift from the matrix, by a little per change: whoever needs a bound multiplies the solution with
// the matrix itself and looks at what is left.  Movable; const access from any number of threads.
class UpdatableCholesky {
 public:
  // Nothing if A is not positive definite at working precision.  Reads the lower triangle.
  [[nodiscard]] static std::optional<UpdatableCholesky> factorise(const Matrix& A);

  UpdatableCholesky(UpdatableCholesky&&) noexcept;
  UpdatableCholesky& operator=(UpdatableCholesky&&) noexcept;
  ~UpdatableCholesky();

  // A + sigma x x^T.  False if that is not positive definite at working precision; the factor is then spoilt.
  [[nodiscard]] bool update(const Vector& x, double sigma);
  // A^-1 right_side
  [[nodiscard]] Vector solve(const Vector& right_side) const;

 private:
  struct State;
  explicit UpdatableCholesky(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace unscatter
