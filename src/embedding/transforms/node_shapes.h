// Whole numbers that describe a node's place in an undirected graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/graph/graph.h"

namespace unscatter {

// The rows of an undirected graph: entries[offsets[i]] to entries[offsets[i + 1] - 1] are the neighbours of i, in
// ascending order and without i.
struct NeighbourRows {
  std::span<const std::uint32_t> offsets;
  std::span<const NodeIndex> entries;

  [[nodiscard]] std::size_t nodes() const { return offsets.size() - 1; }
  [[nodiscard]] std::size_t degree(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
  [[nodiscard]] std::span<const NodeIndex> neighbours(std::size_t i) const {
    return entries.subspan(offsets[i], degree(i));
  }
};

// Memory that is reused from graph to graph.
struct NodeShapeMemory {
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> places;
  std::vector<NodeIndex> nodes;
  std::vector<NodeIndex> marks;
};

// For every node the number of triangles through it.  O(m sqrt(m)): each triangle is found once, from its corner with
// the fewest neighbours.  Replaces `triangles`.
void count_triangles(const NeighbourRows& rows, NodeShapeMemory& memory, std::vector<std::uint64_t>& triangles);

// For every node the largest k such that it lies in a part of the graph whose nodes all have k neighbours there.
// O(n + m).  Replaces `cores`.
void find_cores(const NeighbourRows& rows, NodeShapeMemory& memory, std::vector<std::uint32_t>& cores);

}  // namespace unscatter
