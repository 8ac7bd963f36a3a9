// The one-vs-rest training objective, all K classes over the same rows:
//
//   L_k(w) = sum_i l(s_ik w.z_i) + (ridge / 2) |w|^2 + b_k.w          ridge = lambda n, sum form
//
// [Pan23, Alg. 1]; without a perturbation b it is the plain regularised loss.  Sees rows and labels, never a graph.
//
// An empty row (no stored values) has no effect on gradients and Hessians.  So a removed graph is an empty row, and the
// others keep their places.  The ridge is given as a number, because n counts only the graphs that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/learn/loss.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class GradientEnvelope;
struct RowBlock;

// Everything that a certificate asks about a point, from one look at the rows.
struct Evaluation {
  Matrix gradient;  // one column per class
  Vector rounding;  // how far a computed column may be from the true one, per class; errs high
};

// Labels that are known to be below the number of classes.  Whoever keeps labels checks them once, not in every update.
struct CheckedLabels {
  std::span<const std::uint32_t> labels;
};

// A view: rows, labels and perturbation must outlive it.  Const access from any number of threads.
//
// Where ranks share the rows (SparseBlockRows::share()), there is one label per row that is here, and so it is with
// margins, curvatures and products.  All ranks call the same functions with the same weights and get the same results.
class Objective {
 public:
  // labels: one per row, each below `classes`; classes >= 1.  ridge >= 0.  perturbation: null, or one column of width
  // rows.columns() per class.  `threads` (0: all) changes no result.  Anything else is a broken invariant.
  Objective(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, std::size_t classes, const Loss& loss,
            double ridge, const Matrix* perturbation = nullptr, std::size_t threads = 1);
  // The same in constant time.
  Objective(const SparseBlockRows& rows, CheckedLabels labels, std::size_t classes, const Loss& loss, double ridge,
            const Matrix* perturbation = nullptr, std::size_t threads = 1);

  [[nodiscard]] const SparseBlockRows& rows() const noexcept { return *rows_; }
  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  [[nodiscard]] std::size_t width() const noexcept { return rows_->columns(); }
  [[nodiscard]] const Loss& loss() const noexcept { return loss_; }
  [[nodiscard]] double ridge() const noexcept { return ridge_; }
  [[nodiscard]] const Matrix* perturbation() const noexcept { return perturbation_; }
  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }
  [[nodiscard]] std::uint32_t label(std::size_t row) const { return labels_[row]; }
  [[nodiscard]] std::span<const std::uint32_t> labels() const noexcept { return labels_; }
  // The label of row `number` of all, where ranks share the rows.  It is here, or it was told of.
  [[nodiscard]] std::uint32_t label_of_all(std::size_t number) const;
  // s_ik
  [[nodiscard]] double sign(std::size_t row, std::size_t label) const { return labels_[row] == label ? 1.0 : -1.0; }

  // Signed margins s_ik w_k.z_i, one row per row, one column per class of `weights` (width x K).
  [[nodiscard]] Matrix margins(const Matrix& weights) const;
  // Turns products with Z into signed ones, in place: entry (i, k) times s_ik.
  void apply_signs(Matrix& products) const;
  // l''(margins), the diagonal of each class's D.
  [[nodiscard]] Matrix curvatures(const Matrix& margins) const;
  // Gradients, one column per class, from margins at `weights`: Z^T (s o l'(margins)) + ridge W + B.
  [[nodiscard]] Matrix gradient(const Matrix& margins, const Matrix& weights) const;
  [[nodiscard]] Matrix gradient(const Matrix& weights) const { return gradient(margins(weights), weights); }
  [[nodiscard]] Evaluation evaluate(const Matrix& weights) const;
  // The same for some classes, in ascending order: column c of `weights` and of the result belongs to classes[c]. Every
  // column is the one that evaluate() of all classes finds, bit for bit.
  [[nodiscard]] Evaluation evaluate(const Matrix& weights, std::span<const std::size_t> classes) const;
  // H_k v_k - right_k for every class k: how well Newton systems were solved.  `products` = Z V.
  [[nodiscard]] Matrix newton_defect(const Matrix& curvatures, const Matrix& products, const Matrix& steps,
                                     const Matrix& right_sides) const;
  // L_k(weights), exact up to rounding.  For reports; optimisers compare with change().
  [[nodiscard]] double value(std::size_t label, const Vector& margins, const Vector& weights) const;
  // L_k(w + t v) - L_k(w) without cancellation, from margins at w and signed products s o Z v.  O(n + d).
  [[nodiscard]] double change(std::size_t label, const Vector& margins, const Vector& signed_products,
                              const Vector& weights, const Vector& step, double t) const;

  // How far a computed column may be from the true one, per class, stated in advance; errs high (docs/theory.md,
  // "Rounding").
  [[nodiscard]] Vector gradient_rounding_upper_bound(const Matrix& margins, const Matrix& weights) const;
  [[nodiscard]] Vector newton_defect_rounding_upper_bound(const Matrix& curvatures, const Matrix& products,
                                                          const Matrix& weights, const Matrix& steps,
                                                          const Matrix& right_sides) const;

 private:
  [[nodiscard]] Matrix gradient_from(Matrix slopes, const Matrix& weights) const;
  // The part of a gradient that does not come from rows.
  void add_ridge_and_noise(const Matrix& weights, Matrix& gradient) const;
  // Negates, in a block, the entry of each row's own class.  columns[k]: where class k stands in the block, or beyond
  // its stride if it is not there.
  void turn_own_signs(const RowBlock& block, std::span<const std::size_t> columns) const;
  // Column c of `weights` is of class classes[c].
  [[nodiscard]] Vector rounding_of(const GradientEnvelope& envelope, const Matrix& weights,
                                   std::span<const std::size_t> classes) const;

  const SparseBlockRows* rows_;
  std::span<const std::uint32_t> labels_;
  std::size_t classes_;
  Loss loss_;
  double ridge_;
  const Matrix* perturbation_;
  std::size_t threads_;
};

// What the fast rung needs to know of all graphs (docs/theory.md, "Constant-time removal"): Hessians at an anchor, and
// bounds.  Its size does not depend on the number of graphs.
//
// Where l'' is constant, nothing depends on the anchor: it is 0, one Hessian is that of all classes, and `square` is
// empty.
struct KeptCurvature {
  Matrix anchor;                 // width x K
  std::vector<Matrix> hessians;  // one per class, width x width
  Matrix square;                 // Z^T Z
  double ridge = 0;              // at the anchor
  double largest_ridge = 0;      // since the anchor
  double spectral_square = 0;    // these three are upper bounds
  double frobenius_square = 0;
  double row_norm = 0;
  double roundings = 0;
};

}  // namespace unscatter
