#include "embedding/wavelets/laplacian.h"

#include <fmt/format.h>

#include <vector>

#include "unscatter/embedding/walk_bank.h"

namespace unscatter {

Status require_undirected(const Graph& graph, const char* user) {
  if (!graph.directed()) return ok_status();
  return Error{ErrorCode::kUnsupported, fmt::format("{} need undirected graphs; symmetrise the data first", user)};
}

Result<Matrix> dense_laplacian(const Graph& graph, const char* user) {
  UNSCATTER_CHECK_OK(require_undirected(graph, user));
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  const std::vector<double> root = walk_scaling(graph, WalkOperator::kSymmetric).pre;  // d^-1/2
  Matrix laplacian = Matrix::Identity(n, n);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    // root_i root_j is the same double as root_j root_i, so the matrix is exactly symmetric.
    for (const NodeIndex j : graph.neighbours(i)) laplacian(static_cast<Eigen::Index>(i), j) = -(root[i] * root[j]);
  }
  return laplacian;
}

}  // namespace unscatter
