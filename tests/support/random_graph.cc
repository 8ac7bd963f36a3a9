#include "support/random_graph.h"

#include <fmt/format.h>

#include <utility>

#include "unscatter/base/random.h"

namespace unscatter::testing {

GraphParts random_graph_parts(std::uint64_t seed, const RandomGraphOptions& options) {
  Sequence random(seed);
  GraphParts parts;
  parts.node_count = options.nodes;
  parts.directed = options.directed;
  for (NodeIndex i = 0; i < options.nodes; ++i) {
    for (NodeIndex j = options.directed ? 0 : i + 1; j < options.nodes; ++j) {
      if (i != j && random.chance(options.edge_probability)) parts.edges.push_back({i, j});
    }
  }
  // Optional parts are drawn after the edges.  A graph with features then has the edges of the graph without.
  parts.attribute_count = options.attributes;
  for (std::size_t k = 0; k < options.nodes * options.attributes; ++k)
    parts.attributes.push_back(2 * random.unit() - 1);
  if (options.label_values > 0) {
    for (std::size_t i = 0; i < options.nodes; ++i) {
      parts.labels.push_back(static_cast<std::int64_t>(random.below(options.label_values)));
    }
  }
  if (options.positions) {
    for (std::size_t k = 0; k < 2 * options.nodes; ++k) parts.positions.push_back(random.unit());
  }
  if (options.node_ids) {
    // Ids differ from node numbers, so that a test notices if one is taken for the other.
    for (std::size_t i = 0; i < options.nodes; ++i) parts.node_ids.push_back(fmt::format("user-{}", 7 * i + 3));
  }
  if (options.weights) {
    for (std::size_t k = 0; k < parts.edges.size(); ++k) parts.weights.push_back(4 * random.unit() - 1);
  }
  return parts;
}

Graph random_graph(std::uint64_t seed, const RandomGraphOptions& options) {
  return Graph::create(random_graph_parts(seed, options)).value();
}

namespace {

template <typename T>
void erase_row(std::vector<T>& values, std::size_t width, std::size_t row) {
  if (values.empty()) return;
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(row * width);
  values.erase(from, from + static_cast<std::ptrdiff_t>(width));
}

}  // namespace

GraphParts parts_without_node(GraphParts parts, NodeIndex node) {
  for (std::size_t k = parts.edges.size(); k-- > 0;) {
    if (parts.edges[k].from != node && parts.edges[k].to != node) continue;
    erase_row(parts.edges, 1, k);
    erase_row(parts.weights, 1, k);
  }
  // Later nodes move up by one.  This is written apart from the library's edits, because tests compare the two.
  for (Edge& e : parts.edges) {
    if (e.from > node) --e.from;
    if (e.to > node) --e.to;
  }
  erase_row(parts.attributes, parts.attribute_count, node);
  erase_row(parts.labels, 1, node);
  erase_row(parts.positions, 2, node);
  erase_row(parts.node_ids, 1, node);
  --parts.node_count;
  return parts;
}

}  // namespace unscatter::testing
