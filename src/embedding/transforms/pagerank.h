// PageRank embedding: moments of each channel, weighted by the rank of the nodes.
//
//   p = (1 - a)/g 1 + a M p,   M_ij = 1/out(j) if there is an edge j -> i; 1/g for every i if out(j) = 0
//   z[channel, q] = sum_i p_i x_i^q,  q = 1..Q
//
// For directed and undirected graphs.  A node without outgoing edges jumps anywhere, as the formula says.
#pragma once

#include <cstddef>
#include <memory>

#include "unscatter/embedding/transform.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

struct PageRankOptions {
  double damping = 0.85;     // a, in [0, 1)
  double tolerance = 1e-12;  // |p - exact|_1 at most this, apart from rounding; > 0
  std::size_t max_iterations = 1000;
  std::size_t moments = 1;  // Q >= 1
};

// p >= 0, with the sum 1 up to rounding.  Errors: kInvalidArgument for options outside their ranges; kNotConverged
// after max_iterations.
[[nodiscard]] Result<Vector> pagerank(const Graph& graph, const PageRankOptions& options = {});

// Columns: channel, then moment.  Errors: kInvalidArgument for options outside their ranges; embed(): as pagerank().
[[nodiscard]] Result<std::unique_ptr<Transform>> make_pagerank(const PageRankOptions& options = {});

}  // namespace unscatter
