// The rung whose cost does not depend on the number of graphs (docs/theory.md, "Constant-time removal").
//
// At an anchor w_s there are, for every class, A_k = Z^T D_s Z + ridge_s I with its inverse, and C = Z^T Z for all.  An
// edited row changes each of them by two rank-one terms.  A step v = A^-1 Delta then costs O(d^2) per class.  The
// residual grows by at most (12),
//
//   gamma R (|w - w_s| + |v|/2) |Z| sqrt(v^T C v)  +  |A v + (ridge - ridge_s) v - Delta|  +  rounding
//
// which costs O(d^2) too.  The first term is what the curvature may have moved since the anchor.  The second is what
// the solve left over, and what graphs that went or came took from the ridge or brought to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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
  // A ridge of the data since the anchor.  Graphs that come make it larger than it was there.
  void note_ridge(double ridge) noexcept { largest_ridge_ = std::max(largest_ridge_, ridge); }

  // Column k: A_k^-1 gradient_change_k.  Not a number where A_k is not positive definite at working precision; the
  // growth is then not a number either, and no limit is met by it.
  [[nodiscard]] Matrix solve(const Matrix& gradient_change) const;
  // The growth above, one per class; errs high.  `weights` before the step, `ridge` of the present data.  The ridges
  // before and after the step must have been noted.
  [[nodiscard]] Vector growth_upper_bound(const Matrix& weights, const Matrix& steps, const Matrix& gradient_change,
                                          double ridge) const;

  // Overwrites the matrices, which are made of rows.  The object is then good for nothing.
  void wipe() noexcept;

 private:
  FastFactor(const Objective& objective, const Matrix& weights)
      : loss_(objective.loss()), threads_(objective.threads()), anchor_(weights) {}

  // Calls body(k) for every class, on threads where that pays.
  void for_each_class(const std::function<void(std::size_t k)>& body) const;

  Loss loss_;
  std::size_t threads_;
  Matrix anchor_;                          // w_s, one column per class
  double ridge_ = 0;                       // ridge_s
  double largest_ridge_ = 0;               // >= every ridge since the anchor
  std::vector<Matrix> hessian_;            // A_k
  std::vector<UpdatableInverse> inverse_;  // none after restore()
  Matrix square_;                          // C
  double spectral_square_ = 0;             // >= |Z|^2
  double frobenius_square_ = 0;            // >= every sum |z_i|^2 since the anchor
  double row_norm_ = 0;                    // R
  double roundings_ = 0;                   // that an entry of A or C has gone through, at most
};

}  // namespace unscatter
