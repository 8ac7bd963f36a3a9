#include "embedding/transforms/node_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_graph.h"

namespace unscatter {
namespace {

// By the definition: pairs of neighbours that are linked.
std::uint64_t triangles_by_pairs(const Graph& graph, std::size_t i) {
  std::uint64_t count = 0;
  for (const NodeIndex a : graph.neighbours(i)) {
    for (const NodeIndex b : graph.neighbours(i)) count += a < b && graph.has_edge(a, b) ? 1u : 0u;
  }
  return count;
}

// By the definition: nodes with fewer than k neighbours go until none is left to go.
bool in_core(const Graph& graph, std::size_t node, std::size_t k) {
  std::vector<bool> stays(graph.node_count(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      const auto row = graph.neighbours(i);
      const auto left = std::count_if(row.begin(), row.end(), [&](NodeIndex j) { return stays[j]; });
      if (!stays[i] || static_cast<std::size_t>(left) >= k) continue;
      stays[i] = false;
      changed = true;
    }
  }
  return stays[node];
}

TEST(NodeShapes, TrianglesAreLinkedPairsOfNeighbours) {
  NodeShapeMemory memory;
  for (const double density : {0.0, 0.1, 0.4, 1.0}) {
    const Graph graph = testing::random_graph(3, {.nodes = 25, .edge_probability = density});
    std::vector<std::uint64_t> counts;
    count_triangles({graph.offsets(), graph.entries()}, memory, counts);
    for (std::size_t i = 0; i < graph.node_count(); ++i) EXPECT_EQ(counts[i], triangles_by_pairs(graph, i)) << i;
  }
}

TEST(NodeShapes, CoreNumbersAreTheLargestCore) {
  NodeShapeMemory memory;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Graph graph =
        testing::random_graph(seed, {.nodes = 30, .edge_probability = 0.05 * static_cast<double>(seed)});
    std::vector<std::uint32_t> core;
    find_cores({graph.offsets(), graph.entries()}, memory, core);
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      EXPECT_TRUE(in_core(graph, i, core[i])) << i;
      EXPECT_FALSE(in_core(graph, i, core[i] + 1)) << i;
    }
  }
}

}  // namespace
}  // namespace unscatter
