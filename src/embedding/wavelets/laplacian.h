// The normalised Laplacian of one graph, dense.
#pragma once

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// Lap = I - D^-1/2 A D^-1/2.  A node of degree 0 has 1 on the diagonal.  `user` names the caller in the error message.
// Errors: kUnsupported for a directed graph.
[[nodiscard]] Result<Matrix> dense_laplacian(const Graph& graph, const char* user);
// Only the check, for callers that never form the matrix.
[[nodiscard]] Status require_undirected(const Graph& graph, const char* user);

}  // namespace unscatter
