// The powers of a graph shift, kept, and updated when a node goes: the paper's scheme for polynomial wavelets.
//
// For reproduction and comparison.  The product re-applies the sparse operator instead, which is faster and works with
// renormalised walks (docs/re-embedding.md has the figures).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// S^0 .. S^K of a symmetric shift S for which removing node v means deleting row and column v (plain_shift.h).
//
// Removal [first-passage decomposition].  (S^k)_ij sums the weights of all walks of k steps from i to j.  Let
//
//   f_m[i] = sum over walks from i that reach v at step m and not at steps 0 .. m-1.
//
// Consider a walk of k steps between i, j != v.  Either it avoids v; (S'^k)_ij sums these walks.  Or it reaches v for
// the first time at exactly one m in 1..k, and goes on with any walk of k - m steps from v.  Therefore
//
//   (S'^k)_ij = (S^k)_ij - sum_{m=1..k} f_m[i] (S^(k-m))_vj                                     (1)
//   f_m[i]    = (S^m)_iv - sum_{s=1..m-1} f_s[i] (S^(m-s))_vv,                                  (2)
//
// (2) is the same split, applied to walks that end at v.  All K powers cost K (K + 1) g^2 flops.  K rank-one updates
// are enough for a single one.  S_vv = 0 is not needed.
//
// Const access from any number of threads; removal needs the object for itself.
class PowerCache {
 public:
  // Cost 2 (K - 1) g^3.  Errors: kInvalidArgument (S not square, not symmetric, empty or not finite; degree 0).
  [[nodiscard]] static Result<PowerCache> create(const Matrix& S, std::size_t degree);

  [[nodiscard]] std::size_t nodes() const noexcept { return static_cast<std::size_t>(powers_.front().rows()); }
  [[nodiscard]] std::size_t degree() const noexcept { return powers_.size() - 1; }
  // k in 0..degree().
  [[nodiscard]] const Matrix& power(std::size_t k) const { return powers_[k]; }
  // Memory of the powers, S^0 included: 8 (K + 1) g^2.
  [[nodiscard]] std::size_t bytes() const noexcept;

  // kCompact: row and column `node` go, later nodes move up by one.  kTombstone: they become zero (but (S^0)_vv = 1,
  // since the node keeps its place).  Errors: kNotFound (no such node), kInvalidArgument (kCompact of the only node).
  [[nodiscard]] Status remove_node(std::size_t node, NodeRemoval style = NodeRemoval::kCompact);

  // sum_k coefficients[k] S^k; at most degree() + 1 coefficients.
  [[nodiscard]] Matrix filter(std::span<const double> coefficients) const;
  // The filter's effect on signals, one row per node.  Cost (K + 2 c) g^2 for c columns.
  [[nodiscard]] RowMatrix apply(std::span<const double> coefficients, const RowMatrix& signals) const;
  // bands[j] = H_j signals for the dyadic wavelets H_0 = I - S, H_j = S^(2^(j-1)) - S^(2^j), j < scales; needs
  // 2^(scales-1) <= degree().
  void apply_wavelets(std::size_t scales, const RowMatrix& signals, std::vector<RowMatrix>& bands) const;

 private:
  explicit PowerCache(std::vector<Matrix> powers) : powers_(std::move(powers)) {}

  std::vector<Matrix> powers_;
};

}  // namespace unscatter
