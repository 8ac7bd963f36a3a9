// Newton systems of all classes at one point, which training and unlearning share.
#pragma once

#include <cstddef>

#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/regularised_hessian.h"

namespace unscatter {

// Keeps G = Z Z^T in dual form, so that later points and later rows do not pay for it again.  Not thread-safe.
class NewtonSystem {
 public:
  explicit NewtonSystem(HessianForm form) : form_(form) {}

  [[nodiscard]] HessianForm form() const noexcept { return form_; }
  // Forgets everything derived from rows.
  void reset();
  // Row i of `rows` changed.  One pass over the stored values in dual form, nothing in primal form.
  void refresh_row(const SparseBlockRows& rows, std::size_t i);
  // Z Z^T in dual form (computed if it is not at hand); empty in primal form.
  [[nodiscard]] const Matrix& gram(const Objective& objective);

  // Column c: H^-1 right_sides.col(c) with H = Z^T diag(curvatures.col(c)) Z + ridge I, for any number of columns, each a
  // class or not.  Errors: as RegularisedHessian.
  [[nodiscard]] Result<Matrix> solve(const Objective& objective, const Matrix& curvatures, const Matrix& right_sides);

 private:
  HessianForm form_;
  Matrix gram_;
};

}  // namespace unscatter
