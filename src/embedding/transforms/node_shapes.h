// Whole numbers that describe a node's place in an undirected graph.
#pragma once

#include <cstdint>
#include <vector>

#include "unscatter/graph/graph.h"

namespace unscatter {

// For every node the number of triangles through it.  O(m sqrt(m)): each triangle is found once, from its corner with
// the fewest neighbours.  `graph` is undirected.
[[nodiscard]] std::vector<std::uint64_t> triangle_counts(const Graph& graph);

// For every node the largest k such that it lies in a part of the graph whose nodes all have k neighbours there.
// O(n + m).  `graph` is undirected.
[[nodiscard]] std::vector<std::uint32_t> core_numbers(const Graph& graph);

}  // namespace unscatter
