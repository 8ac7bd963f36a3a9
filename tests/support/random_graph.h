// Random graphs for property tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unscatter/graph/graph.h"

namespace unscatter::testing {

struct RandomGraphOptions {
  std::size_t nodes = 20;
  double edge_probability = 0.2;
  bool directed = false;
  std::size_t attributes = 0;    // uniform on [-1, 1]
  std::size_t label_values = 0;  // labels 0 .. label_values - 1; 0: none
  bool positions = false;
  bool node_ids = false;
  bool weights = false;  // on [-1, 3]
};

// A graph with everything that a graph can carry.
inline constexpr RandomGraphOptions kRichGraph{.nodes = 16,
                                               .edge_probability = 0.3,
                                               .directed = false,
                                               .attributes = 2,
                                               .label_values = 3,
                                               .positions = true,
                                               .node_ids = true};

// The same with weights.
inline constexpr RandomGraphOptions kWeightedGraph = [] {
  RandomGraphOptions options = kRichGraph;
  options.weights = true;
  return options;
}();

// The same seed gives the same graph.
[[nodiscard]] Graph random_graph(std::uint64_t seed, const RandomGraphOptions& options = {});

// The same parts before they become a graph, for tests that build a graph without some node by hand.
[[nodiscard]] GraphParts random_graph_parts(std::uint64_t seed, const RandomGraphOptions& options = {});

// `parts` as if the node `node` had never existed.
[[nodiscard]] GraphParts parts_without_node(GraphParts parts, NodeIndex node);

}  // namespace unscatter::testing
