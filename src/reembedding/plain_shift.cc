#include "reembedding/plain_shift.h"

#include <cmath>

namespace unscatter {

Result<Matrix> adjacency_shift(const Graph& graph) {
  if (graph.directed())
    return Error{ErrorCode::kUnsupported, "a symmetric shift needs an undirected graph; symmetrise it first"};
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  Matrix A = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (const NodeIndex j : graph.neighbours(static_cast<std::size_t>(i))) A(i, j) = 1;
  }
  return A;
}

Vector degrees(const Graph& graph) {
  Vector d(static_cast<Eigen::Index>(graph.node_count()));
  for (std::size_t i = 0; i < graph.node_count(); ++i)
    d(static_cast<Eigen::Index>(i)) = static_cast<double>(graph.degree(i));
  return d;
}

Result<Matrix> frozen_degree_shift(const Graph& graph, const Vector& frozen_degrees) {
  UNSCATTER_TRY(A, adjacency_shift(graph));
  if (frozen_degrees.size() != A.rows() || !frozen_degrees.allFinite() || (frozen_degrees.array() < 0).any()) {
    return Error{ErrorCode::kInvalidArgument, "frozen degrees: one finite number >= 0 per node"};
  }
  // A node without edges has the constant 0.  Its row is zero, as in a walk bank.
  const Vector scale = frozen_degrees.unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0.0; });
  return Matrix(scale.asDiagonal() * A * scale.asDiagonal());
}

}  // namespace unscatter
