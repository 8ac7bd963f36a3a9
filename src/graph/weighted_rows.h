// Rows of a graph whose edges have weights.  Graphs without weights take a faster way (graph.cc, graph_builder.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"

namespace unscatter {

// As Graph holds them: row i names the nodes j with an edge j -> i in ascending order, each with its weight.
struct WeightedRows {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeIndex> neighbours;
  std::vector<double> weights;
  std::size_t self_loops = 0;       // dropped
  std::size_t duplicate_edges = 0;  // surplus copies in one direction, whose weights were added up
};

// Sorts edges into rows.  The order of `edges` makes no difference to a single bit: copies of an edge are added up in
// the order of their weights.  Undirected: the other direction of every edge is added.  Every end must be below
// `nodes`, and there is one weight per edge.  Errors: kMalformedInput for two directions of an undirected edge that
// have different weights.
[[nodiscard]] Result<WeightedRows> weighted_rows(std::size_t nodes, bool directed, std::span<const Edge> edges,
                                                 std::span<const double> weights);

// The rows of the undirected graph in which an edge has the sum of the weights of both directions.
[[nodiscard]] WeightedRows symmetric_sums(const Graph& graph);

}  // namespace unscatter
