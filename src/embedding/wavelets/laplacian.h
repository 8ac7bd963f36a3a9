// The normalised Laplacian of one graph, dense.
#pragma once

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// Lap = I - D^-1/2 A D^-1/2; 1 on the diagonal for a node of degree 0.  `user` names who asks in the error message.
// Errors: kUnsupported for a directed graph.
[[nodiscard]] Result<Matrix> dense_laplacian(const Graph& graph, const char* user);
// The check alone, for those who never form the matrix.
[[nodiscard]] Status require_undirected(const Graph& graph, const char* user);

}  // namespace unscatter
