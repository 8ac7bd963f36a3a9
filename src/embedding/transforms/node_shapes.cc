#include "embedding/transforms/node_shapes.h"

#include <algorithm>
#include <utility>

namespace unscatter {

std::vector<std::uint64_t> triangle_counts(const Graph& graph) {
  const std::size_t n = graph.node_count();
  // Every edge points to the end with more neighbours.  Then no node has more than sqrt(2 m) edges that leave it.
  const auto before = [&](NodeIndex a, NodeIndex b) {
    return std::pair(graph.degree(a), a) < std::pair(graph.degree(b), b);
  };
  std::vector<std::vector<NodeIndex>> higher(n);
  for (NodeIndex i = 0; i < n; ++i) {
    for (const NodeIndex j : graph.neighbours(i)) {
      if (before(i, j)) higher[i].push_back(j);
    }
  }
  std::vector<std::uint64_t> triangles(n, 0);
  std::vector<NodeIndex> seen_from(n, static_cast<NodeIndex>(n));  // by node: the last i that points to it
  for (NodeIndex i = 0; i < n; ++i) {
    for (const NodeIndex j : higher[i]) seen_from[j] = i;
    for (const NodeIndex j : higher[i]) {
      for (const NodeIndex k : higher[j]) {
        if (seen_from[k] != i) continue;
        ++triangles[i];
        ++triangles[j];
        ++triangles[k];
      }
    }
  }
  return triangles;
}

std::vector<std::uint32_t> core_numbers(const Graph& graph) {
  const std::size_t n = graph.node_count();
  std::vector<std::uint32_t> left(n);  // neighbours that were not taken away yet
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    left[i] = static_cast<std::uint32_t>(graph.degree(i));
    largest = std::max(largest, left[i]);
  }
  // Nodes are taken away in the order of what is left of their degree.  A node may stand in several lists.  Only the
  // entry that is up to date counts.
  std::vector<std::vector<NodeIndex>> by_degree(largest + std::size_t{1});
  for (NodeIndex i = 0; i < n; ++i) by_degree[left[i]].push_back(i);
  std::vector<bool> taken(n, false);
  std::vector<std::uint32_t> core(n, 0);
  std::uint32_t k = 0;
  for (std::size_t degree = 0; degree <= largest; ++degree) {
    while (!by_degree[degree].empty()) {
      const NodeIndex i = by_degree[degree].back();
      by_degree[degree].pop_back();
      if (taken[i] || left[i] != degree) continue;
      taken[i] = true;
      k = std::max(k, static_cast<std::uint32_t>(degree));
      core[i] = k;
      for (const NodeIndex j : graph.neighbours(i)) {
        // Below `degree` nothing is left to do: such a node goes now, and its core number is k all the same.
        if (!taken[j] && left[j] > degree) by_degree[--left[j]].push_back(j);
      }
    }
  }
  return core;
}

}  // namespace unscatter
