// Newton systems of all classes at one point, which training and unlearning share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/regularised_hessian.h"

namespace unscatter {

// Keeps what later systems can use: G = Z Z^T in dual form, and, once asked to, the factor of every class's last
// Hessian.  Not thread-safe.
class NewtonSystem {
 public:
  explicit NewtonSystem(HessianForm form) : form_(form) {}

  [[nodiscard]] HessianForm form() const noexcept { return form_; }
  // Forgets what is derived from rows.  Kept factors stay: they only say where to begin, and are checked against the
  // rows that are there.
  void reset();
  // From now on factors are kept, up to half a gigabyte, and serve as preconditioners where a system has changed little
  // (linalg/nearby_solve.h).
  void keep_factors() { keep_ = true; }
  // Row i of `rows` changed.  One pass over the stored values in dual form, nothing in primal form.
  void refresh_row(const SparseBlockRows& rows, std::size_t i);
  // Z Z^T in dual form (computed if it is not at hand); empty in primal form.
  [[nodiscard]] const Matrix& gram(const Objective& objective);

  // Column c: H^-1 right_sides.col(c) with H = Z^T diag(curvatures.col(c)) Z + ridge I, for the class classes[c].
  // Solutions agree to about 1e-12 whether a kept factor or a new one was used.  Errors: as RegularisedHessian.
  [[nodiscard]] Result<Matrix> solve(const Objective& objective, std::span<const std::size_t> classes,
                                     const Matrix& curvatures, const Matrix& right_sides);
  // The same for all classes of the objective, in order.
  [[nodiscard]] Result<Matrix> solve(const Objective& objective, const Matrix& curvatures, const Matrix& right_sides);

  // Factorisations so far.
  [[nodiscard]] std::size_t factorisations() const noexcept { return factorisations_; }

 private:
  struct Kept {
    Matrix factor;     // empty: none
    Vector curvature;  // what it was made with
  };

  [[nodiscard]] Result<Vector> solve_column(const Objective& objective, const Vector& curvature,
                                            const Vector& right_side, Kept* kept, bool& factorised) const;

  HessianForm form_;
  Matrix gram_;
  bool keep_ = false;
  std::vector<Kept> kept_;  // by class
  std::size_t factorisations_ = 0;
};

}  // namespace unscatter
