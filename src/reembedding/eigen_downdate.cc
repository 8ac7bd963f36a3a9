#include "reembedding/eigen_downdate.h"

#include <cmath>
#include <utility>

#include "reembedding/node_slots.h"
#include "reembedding/rank_one_eigen.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

// S' has the eigenpair (0, e_v).  But if 0 is repeated, or nearly so, no computed vector is e_v.  Row v of V, which is
// w = V^T e_v, says where e_v went.  Let k be the place of its largest entry.  A Householder reflection
// H = I - 2 u u^T / |u|^2 turns w into +-e_k.  Then column k of V H is +-e_v, and row v is zero elsewhere.
//
// H may be applied without touching Lambda.  Up to rounding Lambda w = V^T S' e_v = 0.  One of its entries is
// lambda_k w_k with |w_k| >= g^-1/2, so lambda_k is a rounding error.  Hence Lambda u and H Lambda H - Lambda are
// rounding errors too.
SymmetricEigen drop_removed(const SymmetricEigen& eigen, Index v) {
  const Index g = eigen.values.size();
  Vector u = eigen.vectors.row(v).transpose();
  Index k = 0;
  u.cwiseAbs().maxCoeff(&k);
  // The sign of u_k, so that the sum does not cancel.
  u(k) += std::copysign(u.norm(), u(k));
  const Vector image = eigen.vectors * u;
  const double factor = 2 / u.squaredNorm();

  SymmetricEigen rest{Vector(g - 1), Matrix(g - 1, g - 1)};
  for (Index column = 0, to = 0; column < g; ++column) {
    if (column == k) continue;
    const double weight = factor * u(column);
    rest.values(to) = eigen.values(column);
    rest.vectors.col(to).head(v) = eigen.vectors.col(column).head(v) - weight * image.head(v);
    rest.vectors.col(to).tail(g - 1 - v) = eigen.vectors.col(column).tail(g - 1 - v) - weight * image.tail(g - 1 - v);
    ++to;
  }
  fix_signs(rest.vectors);
  return rest;
}

}  // namespace

RowMatrix apply_kernel(const SymmetricEigen& eigen, const KernelFunction& kernel, const RowMatrix& signals) {
  RowMatrix spectrum = eigen.vectors.transpose() * signals;
  for (Index i = 0; i < spectrum.rows(); ++i) spectrum.row(i) *= kernel(eigen.values(i));
  return eigen.vectors * spectrum;
}

Result<EigenDowndate> EigenDowndate::create(const Matrix& S) {
  UNSCATTER_CHECK_OK(check_shift(S));
  UNSCATTER_TRY(eigen, symmetric_eigen(S));
  return EigenDowndate(std::move(eigen));
}

Status EigenDowndate::remove_node(std::size_t node, NodeRemoval style) {
  UNSCATTER_CHECK_OK(check_removal(nodes(), node, style));
  const auto v = static_cast<Index>(node);
  // s comes from the decomposition and not from a stored S.  So what is removed is the row that the decomposition has,
  // rounding included.  Errors of earlier removals then do not stay behind in row v.
  Vector s = eigen_.vectors * eigen_.values.cwiseProduct(eigen_.vectors.row(v).transpose());
  s(v) *= 0.5;
  const double length = s.norm();
  // A node without edges has s = 0.  Nothing changes then.
  if (length > 0) {
    // a^2 = |s| makes p and m as short as they can be (eigen_downdate.h).
    const double a = std::sqrt(length);
    Vector p = s / a;
    Vector m = -p;
    p(v) += a;
    m(v) += a;
    UNSCATTER_TRY(half, rank_one_eigen(eigen_, -0.5, p));
    UNSCATTER_TRY(both, rank_one_eigen(half, 0.5, m));
    eigen_ = std::move(both);
  }
  if (style == NodeRemoval::kCompact) eigen_ = drop_removed(eigen_, v);
  return ok_status();
}

}  // namespace unscatter
