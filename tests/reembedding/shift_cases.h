// Shifts and removals that both incremental schemes are tried on.
#pragma once

#include <cstdint>

#include "reembedding/node_slots.h"
#include "reembedding/plain_shift.h"
#include "support/random_graph.h"
#include "unscatter/base/random.h"

namespace unscatter::testing {

// Sizes 2..40 in turn with sparse (many isolated nodes) to dense graphs; odd seeds give the adjacency, even seeds the
// shift with frozen degrees.
inline Matrix random_shift(std::uint64_t seed, std::size_t nodes) {
  const double densities[] = {0.02, 0.1, 0.3, 0.8};
  const Graph graph = random_graph(seed, {.nodes = nodes, .edge_probability = densities[seed % 4]});
  return seed % 2 == 1 ? adjacency_shift(graph).value() : frozen_degree_shift(graph, degrees(graph)).value();
}

inline RowMatrix random_signals(std::uint64_t seed, Eigen::Index nodes, Eigen::Index channels) {
  Sequence random(seed);
  RowMatrix x(nodes, channels);
  for (double& entry : x.reshaped()) entry = 2 * random.unit() - 1;
  return x;
}

// S with row and column v zero: S + E S + S E - E S E for E = -e_v e_v^T.
inline Matrix tombstone(Matrix S, Eigen::Index v) {
  S.row(v).setZero();
  S.col(v).setZero();
  return S;
}

}  // namespace unscatter::testing
