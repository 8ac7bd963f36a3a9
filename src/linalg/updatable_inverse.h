// The inverse of a symmetric positive definite matrix.  It is kept while the matrix changes a little at a time.
//
// Textbooks advise against explicit inverses because of their rounding errors.  Here nothing rests on those: the
// inverse says in which direction an iteration steps, and the point where it arrives is evaluated.  In exchange a solve
// is one product with a matrix, several times faster than two triangular solves, and every change costs O(n^2).
//
// Changes of rank one are noted beside the inverse and worked into it several at a time.  Working in a single one would
// read and write the whole inverse, which costs more than computing the change.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// How the numbers are kept.  Single precision halves the memory to read, which is what a product costs. kSingleIfEnough
// takes it where A is so far from singular that products are still right to three digits.  kSingleIfUseful takes it
// where two digits can be expected.  That is for steps whose defect is computed and corrected.  kDoubleLower reads as
// little and keeps all digits: one triangle.  A product then writes as much as it reads, so it is for few columns and
// large orders.  Lines cannot be replaced or appended there.
enum class InversePrecision { kDouble, kSingleIfEnough, kSingleIfUseful, kDoubleLower };

// P = A^-1.  Movable.  Any number of threads may call const functions at the same time.
class UpdatableInverse {
 public:
  // Empty if A is not positive definite at working precision.  Reads the lower triangle.
  [[nodiscard]] static std::optional<UpdatableInverse> of(Matrix A,
                                                          InversePrecision precision = InversePrecision::kDouble);

  [[nodiscard]] Eigen::Index order() const noexcept { return is_single() ? single_.rows() : base_.rows(); }
  [[nodiscard]] bool is_single() const noexcept { return single_.size() != 0; }
  // Entry (i, i) of A^-1.
  [[nodiscard]] double diagonal(std::size_t i) const;
  // A^-1 X
  [[nodiscard]] Matrix times(const Matrix& X, std::size_t threads = 1) const;

  // A becomes A + sum of sigmas_j X_j X_j^T over the columns of X, one after the other [Golub13, Sec. 2.1.4].  False if
  // a sum is not positive definite at working precision; the inverse is then spoilt.
  [[nodiscard]] bool add(const Matrix& X, const Vector& sigmas);
  // The same, and `solutions` becomes A^-1 right_sides for the changed A.  One pass over P serves both.
  [[nodiscard]] bool add_and_solve(const Matrix& X, const Vector& sigmas, const Matrix& right_sides, Matrix& solutions,
                                   std::size_t threads = 1);
  // The same for right sides that are X itself.
  [[nodiscard]] bool add_and_solve_own(const Matrix& X, const Vector& sigmas, Matrix& solutions,
                                       std::size_t threads = 1);
  // A gets `new_line` as its new row and column i.  The old line is not needed: crossing a line out of A and putting a
  // new one in are each a change of rank one of P (both are Schur complements).  False as above.
  [[nodiscard]] bool replace_line(std::size_t i, const Vector& new_line);

  // A gets `count` more lines at its end.  They are 0 but for `diagonal` > 0 on the diagonal.
  void append_lines(std::size_t count, double diagonal);

  // Learns from one step of a descent.  The descent went by -step with step = A^-1 before, and its gradient turned from
  // `before` into `after`.  P becomes the nearest inverse, in the sense of Broyden, Fletcher, Goldfarb and Shanno
  // [Nocedal06, Eq. 6.17], of a matrix that would have shown this change.  This corrects an inverse that has drifted.
  // Returns A^-1 after, with the corrected inverse.  Learns nothing where the gradient does not fall along the step.
  [[nodiscard]] Vector learn(const Vector& step, const Vector& before, const Vector& after);

  // Overwrites the numbers.
  void wipe() noexcept;

 private:
  explicit UpdatableInverse(Matrix inverse) : base_(std::move(inverse)) {}

  [[nodiscard]] Matrix base_times(const Matrix& X, std::size_t threads) const;
  // Column i of P.
  [[nodiscard]] Vector line(Eigen::Index i) const;
  // add(), where `images` = P X.  The further columns of `images` and `others` follow: P others.
  [[nodiscard]] bool add_images(const Matrix& X, const Vector& sigmas, const Matrix& others, Matrix& images,
                                std::size_t threads = 1);
  // P += factor x x^T
  void add_square_of(const Vector& x, double factor, std::size_t threads = 1);

  // P = base + sum of factors_j images_j images_j^T over j < pending_.
  Matrix base_;  // both triangles, or lower_; empty if the base is in single precision
  bool lower_ = false;
  Eigen::MatrixXf single_;
  Matrix images_;
  Vector factors_;
  Eigen::Index pending_ = 0;
};

}  // namespace unscatter
