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

#include "learn/anchored_rows.h"
#include "linalg/updatable_inverse.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class FastFactor {
 public:
  // Anchors at `weights`.  Nothing if a Hessian is not positive definite at working precision.
  [[nodiscard]] static std::optional<FastFactor> anchor(const Objective& objective, const Matrix& weights);

  // How many matrices that takes, at most: for every class, or for all together, a Hessian and its inverse, and C.
  [[nodiscard]] static std::size_t most_matrices(const Objective& objective) {
    return 2 * (objective.loss().curvature_lipschitz() == 0 ? 1 : objective.classes()) + 1;
  }

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
  // A step of all classes, v = A^-1 right_side, and what its growth() needs to know.
  struct Step {
    Matrix columns;  // v
    Matrix images;   // A v of every class, then A (w - w_s) where the curvature may move; empty: not known
    Vector lengths;  // of every class: the sum of the lengths of what v was put together from; empty: |v|
  };
  // The same, and `step` becomes the one of solve() for all classes, from `weights`.  One pass over the inverses and
  // one over the Hessians serve both.
  //
  // Where one Hessian is that of all classes, right sides are combinations of the two rows, up to what earlier steps
  // left over.  If this is at most `may_leave`, all classes together, then it stays left over: A^-1 and A meet two
  // columns instead of one per class.
  [[nodiscard]] bool replace_row(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                                 std::uint32_t label_before, const Matrix& right_sides, const Matrix& weights,
                                 Step& step, double may_leave = 0);
  // The ridge of the data now.  Graphs that come make it larger than it was at the anchor.  Where one Hessian is that
  // of all classes and has no inverse, it takes this ridge, so that nothing of it wears out.
  void note_ridge(double ridge) noexcept;

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
  // The same for a step of all classes.
  [[nodiscard]] Growth growth(const Matrix& weights, const Step& step, const Matrix& gradient_change,
                              double ridge) const;

  // What AnchoredRows needs to know of a step of all classes: A x + (ridge - ridge_s) x with x = w' - w_s, for some
  // classes of the weights w' after the step.  Nothing if the step does not know its images.
  [[nodiscard]] std::optional<AnchoredProduct> product_from_anchor(const Matrix& weights_after, const Step& step,
                                                                   double ridge,
                                                                   std::span<const std::size_t> classes) const;

  // Overwrites the matrices, which are made of rows.  The object is then good for nothing.
  void wipe() noexcept;

 private:
  FastFactor(const Objective& objective, const Matrix& weights)
      : loss_(objective.loss()), threads_(objective.threads()), anchor_(weights) {}

  // Of numbers that fit, with matrices() Hessians or more.  It has no inverses.
  [[nodiscard]] static FastFactor of(const Objective& objective, KeptCurvature numbers);

  // What a step asks of replace_row().
  struct Asked {
    const Matrix& right_sides;
    const Matrix& weights;
    Step& step;
    double may_leave;
    Matrix shares;  // of the rows after and before in the right sides of all classes, where Hessians are shared
  };
  // replace_row(); `asked` may be null.
  [[nodiscard]] bool replace(const BlockRow& before, const BlockRow& after, std::uint32_t label,
                             std::uint32_t label_before, const Asked* asked);
  // The row becomes another one in the matrix of class k, or in that of all classes.
  [[nodiscard]] bool replace_in_one(std::size_t k, const Matrix& rows, const Vector& sigmas, const Asked* asked);
  [[nodiscard]] bool replace_in_shared(const Matrix& rows, const Vector& sigmas, const Asked* asked);
  // Calls body(i) for every i below `count`, a number of matrices, on threads where that pays.
  void for_each(std::size_t count, const std::function<void(std::size_t i)>& body) const;
  // Where l'' is constant, one matrix is that of all classes, and nothing drifts.
  [[nodiscard]] bool is_shared() const noexcept { return loss_.curvature_lipschitz() == 0; }
  [[nodiscard]] std::size_t matrices() const noexcept { return is_shared() ? 1 : classes(); }
  [[nodiscard]] std::size_t classes() const noexcept { return static_cast<std::size_t>(anchor_.cols()); }
  [[nodiscard]] const Matrix& hessian(std::size_t k) const { return hessian_[is_shared() ? 0 : k]; }
  // A x for every x among `moves`: as many steps as classes, and where curvature may move, as many w - w_s.
  [[nodiscard]] Matrix images_of(const Matrix& moves, std::span<const std::size_t> classes) const;
  // v, and where curvature may move, w - w_s beside it.
  [[nodiscard]] Matrix moves_of(const Matrix& weights, const Matrix& steps, std::span<const std::size_t> classes) const;
  // What is seen of a move x.
  struct Seen {
    double length;   // |x|
    double by_rows;  // at least |Z x|; infinity: C was not looked at
    double curved;   // at least |D_s^(1/2) Z x|
  };
  // Whether (12) or the best m of (12') may be worth a product with C.
  [[nodiscard]] bool needs_square(const Matrix& moves) const;
  // The smaller of (12) and (12') at w - w_s = `away` and v = `step`.
  [[nodiscard]] double drift(const Seen& away, const Seen& step, double width) const;
  // |computed A x - true A x| <= this |x|, for class k.
  [[nodiscard]] double product_error(std::size_t k) const;
  // entry_error of docs/theory.md, "The fast factor".
  [[nodiscard]] double entry_error() const;
  // `lengths` as in Step.
  [[nodiscard]] Growth growth_of(const Matrix& weights, const Matrix& moves, const Matrix& images,
                                 const Vector& lengths, const Matrix& gradient_change, double ridge,
                                 std::span<const std::size_t> classes) const;

  Loss loss_;
  std::size_t threads_;
  Matrix anchor_;                          // w_s, one column per class
  double ridge_ = 0;                       // ridge_s
  double largest_ridge_ = 0;               // >= every ridge since the anchor
  std::vector<Matrix> hessian_;            // A_k, or A of all classes; lower triangles, zeros above
  std::vector<UpdatableInverse> inverse_;  // as many; none after restore()
  Matrix square_;                          // C, in the same way; empty if A is shared, because A tells C then
  double spectral_square_ = 0;             // >= |Z|^2
  double frobenius_square_ = 0;            // >= every sum |z_i|^2 since the anchor
  double row_norm_ = 0;                    // R
  double roundings_ = 0;                   // that an entry of A or C has gone through, at most
};

}  // namespace unscatter
