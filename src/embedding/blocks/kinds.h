// The columns of the part `all-kinds`, which portrait has too, and what the part `kinds` counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "embedding/blocks/graph_shape.h"
#include "embedding/blocks/hashing.h"

namespace unscatter {

// Calls count(hash) once for every node.
template <typename Count>
void count_node_kinds(GraphShape& shape, Count count) {
  const std::span<const std::uint64_t> triangles = shape.triangles();
  const std::span<const std::uint32_t> cores = shape.cores();
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    count(mixed(mixed(mixed(0, shape.degree(i)), triangles[i]), cores[i]));
  }
}

void draw_all_kinds(GraphShape& shape, std::size_t buckets, double share, std::span<double> columns);

}  // namespace unscatter
