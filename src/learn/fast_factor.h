// The rung whose cost does not depend on the number of graphs (docs/theory.md, "Constant-time removal").
//
// At an anchor w_s there are, for every class, A_k = Z^T D_s Z + ridge_s I with its inverse, and C = Z^T Z for all.  An
// edited row changes each of them by two rank-one terms.  A step v = A^-1 Delta then costs O(d^2) per class.  The
// residual grows by at most (12),
//
//   gamma R (|Z (w - w_s)| + |Z v|/2) |Z v|  +  |A v + (ridge - ridge_s) v - Delta|  +  rounding
//
// which costs O(d^2) too, since |Z x|^2 = x^T C x.  The first term is what the curvature may have moved since the
// anchor.  The second is what the solve left over, and what graphs that went or came
// took from the ridge or brought to it.  Where |third
// derivative of l| <= kappa l'', (12') bounds the first term by the curvatures themselves, which A knows.  The smaller
// of the two counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "linalg/updatable_inverse.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class FastFactor {
 public:
  // Anchors at `weights`.  Nothing if a Hessian is not positive definite at working precision.
  [[nodiscard]] static std::optional<FastFactor> anchor(const Objective& objective, const Matrix& weights);

  // One that was kept as plain numbers.  It has no inverses: it factorises A when it steps, which pays for one step.
  // Nothing if sizes do not fit or a number is not finite.
  [[nodiscard]] static std::optional<FastFactor> restore(const Objective& objective, KeptCurvature numbers);
  [[nodiscard]] KeptCurvature numbers() const;
  [[nodiscard]] const Matrix& anchor_weights() const noexcept { return anchor_; }

  // Row of a graph becomes `after` (empty: the graph goes; `before` empty: it comes).  Its label was `label_before` and
  // is `label`.  False if an inverse broke; the object is then good for nothing.
  [[nodiscard]] bool replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                                 std::uint32_t label_before);
  [[nodiscard]] bool replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label) {
    return replace_row(before, after, label, label);
  }
  // The same, and `solutions` becomes what solve() of all classes would then return.  One pass over the inverses serves
  // both.
  [[nodiscard]] bool replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                                 std::uint32_t label_before, const Matrix& right_sides, Matrix& solutions);
  // A ridge of the data since the anchor.  Graphs that come make it larger than it was there.
  void note_ridge(double ridge) noexcept { largest_ridge_ = std::max(largest_ridge_, ridge); }

  // Column c: A_k^-1 gradient_change.col(c), k = classes[c].  Not a number where A_k is not positive definite at
  // working precision; the growth is then not a number either, and no limit is met by it.
  [[nodiscard]] Matrix solve(const Matrix& gradient_change, std::span<const std::size_t> classes) const;
  struct Growth {
    Matrix defect;         // A v + (ridge - ridge_s) v - Delta, as computed
    Vector beyond_defect;  // how far u' - u may be from the defect; errs high
    Vector upper_bound;    // the growth above: |defect| and what is beyond it
  };
  // Everything has one column per class of `classes`.  `weights` before the step, `ridge` of the present data.  The
  // ridges before and after the step must have been noted.
  [[nodiscard]] Growth growth(const Matrix& weights, const Matrix& steps, const Matrix& gradient_change, double ridge,
                              std::span<const std::size_t> classes) const;

  // Overwrites the matrices, which are made of rows.  The object is then good for nothing.
  void wipe() noexcept;

 private:
  FastFactor(const Objective& objective, const Matrix& weights)
      : loss_(objective.loss()), threads_(objective.threads()), anchor_(weights) {}

  // replace_row(); solutions may be null.
  [[nodiscard]] bool replace(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before, const Matrix* right_sides, Matrix* solutions);
  // Calls body(i) for every i below `count`, a number of classes, on threads where that pays.
  void for_each(std::size_t count, const std::function<void(std::size_t i)>& body) const;

  Loss loss_;
  std::size_t threads_;
  Matrix anchor_;                          // w_s, one column per class
  double ridge_ = 0;                       // ridge_s
  double largest_ridge_ = 0;               // >= every ridge since the anchor
  std::vector<Matrix> hessian_;            // A_k; lower triangles, zeros above
  std::vector<UpdatableInverse> inverse_;  // none after restore()
  Matrix square_;                          // C
  double spectral_square_ = 0;             // >= |Z|^2
  double frobenius_square_ = 0;            // >= every sum |z_i|^2 since the anchor
  double row_norm_ = 0;                    // R
  double roundings_ = 0;                   // that an entry of A or C has gone through, at most
};

}  // namespace unscatter
