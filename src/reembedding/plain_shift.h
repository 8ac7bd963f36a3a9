// Graph shifts without renormalisation: removing a node removes its row and column and changes nothing else.
//
// Incremental updates (power_cache.h, eigen_downdate.h) need this, and few shifts have it.  With E = -e_v e_v^T and
// S_vv = 0 the paper writes S' = S + E S + S E [Pan23, "Reducing the complexity of recomputing graph embeddings"].
// This holds for the shifts below.  It does NOT hold for the lazy walks of walk_bank.h or for a normalised Laplacian.
// There the neighbours of v lose a degree, their rows and columns are rescaled, and S' - S has rank up to 2 deg(v) + 2.
#pragma once

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// S = A, dense.  Errors: kUnsupported for a directed graph, whose shift is not symmetric.
[[nodiscard]] Result<Matrix> adjacency_shift(const Graph& graph);

// Degrees as numbers, one per node.
[[nodiscard]] Vector degrees(const Graph& graph);

// S = D0^-1/2 A D0^-1/2 with `frozen_degrees` as public constants, one per node.  A node whose constant is 0 gets a
// zero row and column.  If the constants are degrees of the graph before a removal, they still count the removed edges.
// Such a shift is not deletion-closed, and no certificate may rest on it.  Errors: kUnsupported (directed),
// kInvalidArgument (a size that does not fit, a negative or infinite constant).
[[nodiscard]] Result<Matrix> frozen_degree_shift(const Graph& graph, const Vector& frozen_degrees);

}  // namespace unscatter
