// The two ways to hold Newton systems, behind one interface.
//
//   primal    H_k = Z^T D_k Z + ridge I, d x d.  Beside it C = Z^T Z, where somebody asks for |Z|.
//   dual      M_k = ridge I + S_k G S_k, n x n, with S_k = sqrt(D_k) and G = Z Z^T.  Woodbury's formula leads from M_k
//             to H_k: H^-1 r = (r - Z^T S M^-1 S Z r) / ridge.
//
// Where ranks share the rows, n and every number of a row are about all of them, and the form is the primal one: rows
// in dual form are few, and one rank holds them.  Which one is cheaper depends on n and d alone.  A form keeps what
// depends on rows alone: C or G.  Inverses, factors and the rest belong to Curvature, which calls a form for whatever
// the two do differently.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/curvature_cost.h"
#include "learn/descent.h"
#include "learn/kept_inverses.h"
#include "learn/unseen_rows.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/nearby_solve.h"
#include "linalg/regularised_hessian.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/learn/train.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// By operation count: forming and factorising the d x d matrix against factorising the n x n one, with G at hand.
[[nodiscard]] HessianForm cheaper_form(std::size_t rows, std::size_t columns);

class CurvatureForm {
 public:
  CurvatureForm() = default;
  CurvatureForm(const CurvatureForm&) = delete;
  CurvatureForm& operator=(const CurvatureForm&) = delete;
  virtual ~CurvatureForm() = default;

  [[nodiscard]] virtual HessianForm kind() const noexcept = 0;
  // Order of the matrices that are factorised and inverted.
  [[nodiscard]] virtual std::size_t order(const Objective& objective) const noexcept = 0;
  [[nodiscard]] virtual CurvatureCost cost(const Objective& objective) const noexcept = 0;
  // What depends on rows alone: operations that make it, 0 if it is there, and those that bring it up to `edits`
  // changed rows once it is.
  [[nodiscard]] virtual double make_cost(const Objective& objective) const noexcept = 0;
  [[nodiscard]] virtual double follow_cost(const Objective& objective, std::size_t edits) const noexcept = 0;
  // Whether training by inexact steps pays where no inverse is at hand yet.
  [[nodiscard]] virtual bool trains_inexactly_from_nothing() const noexcept = 0;

  // What depends on rows alone.
  //
  // Makes it, if it is not there.  Everything below but replace_rows() and wipe() needs that.
  virtual void require(const Objective& objective) = 0;
  // Rows have changed: `before` says what they were.
  virtual void replace_rows(const Objective& objective, const UnseenRows::Known& before) = 0;
  // There are `rows` rows now: new ones are still empty, and those that are gone from the end were empty.
  virtual void resize_rows(std::size_t rows) = 0;
  virtual void wipe() noexcept = 0;
  // At least |Z|.
  [[nodiscard]] virtual double spectral_norm_upper_bound(const Objective& objective) = 0;

  // One class's system, with curvatures D.
  //
  // Its inverse, if the matrix is positive definite at working precision.
  [[nodiscard]] virtual std::optional<UpdatableInverse> invert(const Objective& objective, const Vector& D) const = 0;
  // The same for every column of D, where ranks share the rows.
  [[nodiscard]] virtual std::vector<std::optional<UpdatableInverse>> invert_shared(const Objective& objective,
                                                                                   const Matrix& D) const = 0;
  [[nodiscard]] virtual Result<RegularisedHessian> factorise(const Objective& objective, const Vector& D) const = 0;
  [[nodiscard]] virtual std::optional<NearbySolution> solve_nearby(const Objective& objective, const Matrix& factor,
                                                                   const Vector& D, const Vector& right_side) const = 0;

  // Kept inverses.
  //
  // Row i was `before`; `weights` say where its new curvature is taken.  False if rounding got in the way of some
  // class; the inverses are then good for nothing.
  [[nodiscard]] virtual bool fold_row(KeptInverses& kept, const Objective& objective, std::size_t i,
                                      const BlockRow& before, const Matrix& weights) const = 0;
  // Conjugate gradients [Golub13, Sec. 11.5.2] for H X = right_sides with these curvatures, all columns side by side,
  // preconditioned by the inverses of `classes`.
  [[nodiscard]] virtual ConjugateGradients iterate(const KeptInverses& kept, const Objective& objective,
                                                   std::span<const std::size_t> classes, const Matrix& curvatures,
                                                   const Matrix& right_sides, double relative_residual,
                                                   std::size_t most_iterations) const = 0;
  // Whether what iterate() found loses digits that a second round gives back.
  [[nodiscard]] virtual bool loses_digits() const noexcept = 0;
  // Chord steps from `start`, where the gradient is about `gradient`, until the computed gradient reaches the goal.
  // Nothing if that is not reached.  May improve the inverses on the way.
  [[nodiscard]] virtual std::optional<Descent> descend(KeptInverses& kept, const Objective& objective,
                                                       const Matrix& start, const Matrix& gradient,
                                                       const DescentGoal& goal) const = 0;
};

[[nodiscard]] std::unique_ptr<CurvatureForm> make_primal_form();
[[nodiscard]] std::unique_ptr<CurvatureForm> make_dual_form();

// P_k times column c for every column, k = classes[c].
[[nodiscard]] Matrix precondition(const KeptInverses& kept, const Objective& objective,
                                  std::span<const std::size_t> classes, const Matrix& columns);

}  // namespace unscatter
