// The spectrum of a graph shift, kept, and updated when a node goes: the paper's scheme for arbitrary kernels.
//
// For reproduction and comparison; docs/re-embedding.md says where it pays.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "linalg/symmetric_eigen.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

using KernelFunction = std::function<double(double)>;

// h(S) signals = V h(Lambda) V^T signals, one row per node.  Cost 4 c g^2 for c columns.
[[nodiscard]] RowMatrix apply_kernel(const SymmetricEigen& eigen, const KernelFunction& kernel,
                                     const RowMatrix& signals);

// S = V Lambda V^T of a symmetric shift for which removing node v means deleting row and column v (plain_shift.h).
//
// Removal.  With e = e_v, s = S e and s_v halved, S' = S - e s^T - s e^T has row and column v zero, and for any a > 0
//
//   S' = S - 1/2 p p^T + 1/2 m m^T,    p = a e + s / a,   m = a e - s / a,
//
// These are two symmetric rank-one modifications (rank_one_eigen.h).  a^2 = |s| makes p and m as short as they can be,
// |p|^2 ~ 2 |s|, so neither step leaves the scale of S.  The cost is at most 4 g^3 flops, in two matrix products, and
// O(g^2) per secular sweep.  This is the order of a fresh decomposition (about 9 g^3), not the O(g^2) of the
// eigenvalues alone.
//
// Const access from any number of threads; removal needs the object for itself.
class EigenDowndate {
 public:
  // One fresh decomposition.  Errors: kInvalidArgument (S not square, not symmetric, empty or not finite),
  // kNotConverged.
  [[nodiscard]] static Result<EigenDowndate> create(const Matrix& S);

  [[nodiscard]] std::size_t nodes() const noexcept { return static_cast<std::size_t>(eigen_.values.size()); }
  [[nodiscard]] const SymmetricEigen& eigen() const noexcept { return eigen_; }
  // Memory of the decomposition: 8 (g^2 + g).
  [[nodiscard]] std::size_t bytes() const noexcept { return (nodes() * nodes() + nodes()) * sizeof(double); }

  // kTombstone: S' with row and column `node` zero.  kCompact: the same without the eigenpair (0, e_v), one node fewer,
  // later nodes move up by one.  Errors: kNotFound (no such node), kInvalidArgument (kCompact of the only node).
  [[nodiscard]] Status remove_node(std::size_t node, NodeRemoval style = NodeRemoval::kCompact);

  [[nodiscard]] RowMatrix apply(const KernelFunction& kernel, const RowMatrix& signals) const {
    return apply_kernel(eigen_, kernel, signals);
  }

 private:
  explicit EigenDowndate(SymmetricEigen eigen) : eigen_(std::move(eigen)) {}

  SymmetricEigen eigen_;
};

}  // namespace unscatter
