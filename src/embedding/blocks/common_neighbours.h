// How many neighbours the ends of every edge share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "embedding/blocks/graph_shape.h"

namespace unscatter {

// Calls each(j, i, common) once for every edge, j the end with fewer neighbours.  Uses the pad of indices 0.  Cost:
// O(n + m sqrt(m)).
template <typename Each>
void for_common_neighbours(GraphShape& shape, Each each) {
  // By node: 1 + the last i that has it as a neighbour.
  const std::span<NodeIndex> seen_from = shape.indices(0, shape.nodes());
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    const auto mark = static_cast<NodeIndex>(i + 1);
    for (const NodeIndex j : shape.neighbours(i)) seen_from[j] = mark;
    for (const NodeIndex j : shape.neighbours(i)) {
      // Of every edge the end with fewer neighbours is read, by the other end.
      if (std::pair(shape.degree(j), std::size_t{j}) >= std::pair(shape.degree(i), i)) continue;
      const std::span<const NodeIndex> around = shape.neighbours(j);
      const auto common =
          std::count_if(around.begin(), around.end(), [&](NodeIndex k) { return seen_from[k] == mark; });
      each(std::size_t{j}, i, static_cast<double>(common));
    }
  }
}

}  // namespace unscatter
