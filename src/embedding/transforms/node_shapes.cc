#include "embedding/transforms/node_shapes.h"

#include <algorithm>
#include <utility>

namespace unscatter {

void count_triangles(const NeighbourRows& rows, NodeShapeMemory& memory, std::vector<std::uint64_t>& triangles) {
  const auto n = static_cast<NodeIndex>(rows.nodes());
  // Every edge points to the end with more neighbours.  Then no node has more than sqrt(2 m) edges that leave it.
  const auto before = [&](NodeIndex a, NodeIndex b) {
    return std::pair(rows.degree(a), a) < std::pair(rows.degree(b), b);
  };
  std::vector<std::uint32_t>& starts = memory.starts;
  std::vector<NodeIndex>& higher = memory.nodes;
  starts.resize(std::size_t{n} + 1);
  higher.resize(rows.entries.size());
  std::uint32_t filled = 0;
  for (NodeIndex i = 0; i < n; ++i) {
    starts[i] = filled;
    for (const NodeIndex j : rows.neighbours(i)) {
      if (before(i, j)) higher[filled++] = j;
    }
  }
  starts[n] = filled;
  const auto above = [&](NodeIndex i) {
    return std::span<const NodeIndex>(higher).subspan(starts[i], starts[i + 1] - starts[i]);
  };
  triangles.assign(n, 0);
  std::vector<NodeIndex>& seen_from = memory.marks;  // by node: the last i that points to it
  seen_from.assign(n, n);
  for (NodeIndex i = 0; i < n; ++i) {
    for (const NodeIndex j : above(i)) seen_from[j] = i;
    for (const NodeIndex j : above(i)) {
      for (const NodeIndex k : above(j)) {
        if (seen_from[k] != i) continue;
        ++triangles[i];
        ++triangles[j];
        ++triangles[k];
      }
    }
  }
}

void find_cores(const NeighbourRows& rows, NodeShapeMemory& memory, std::vector<std::uint32_t>& cores) {
  const std::size_t n = rows.nodes();
  // Nodes in the order of what is left of their degree; `cores` holds that number until it is final.
  cores.resize(n);
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    cores[i] = static_cast<std::uint32_t>(rows.degree(i));
    largest = std::max(largest, cores[i]);
  }
  std::vector<std::uint32_t>& starts = memory.starts;  // by degree: where its nodes start in `order`
  starts.assign(largest + std::size_t{2}, 0);
  for (const std::uint32_t degree : cores) ++starts[degree + 1];
  for (std::size_t d = 1; d < starts.size(); ++d) starts[d] += starts[d - 1];
  std::vector<NodeIndex>& order = memory.nodes;
  std::vector<std::uint32_t>& place = memory.places;  // by node: where it stands in `order`
  order.resize(n);
  place.resize(n);
  for (NodeIndex i = 0; i < n; ++i) {
    place[i] = starts[cores[i]]++;
    order[place[i]] = i;
  }
  for (std::size_t d = starts.size() - 1; d > 0; --d) starts[d] = starts[d - 1];
  starts[0] = 0;
  for (std::size_t at = 0; at < n; ++at) {
    const NodeIndex i = order[at];
    for (const NodeIndex j : rows.neighbours(i)) {
      if (cores[j] <= cores[i]) continue;
      // One neighbour less: j changes places with the first node of its degree, which then belongs to the degree below.
      const std::uint32_t first = starts[cores[j]];
      const NodeIndex other = order[first];
      std::swap(order[first], order[place[j]]);
      std::swap(place[other], place[j]);
      ++starts[cores[j]];
      --cores[j];
    }
  }
}

}  // namespace unscatter
