// One graph as a picture: DOT for Graphviz, and SVG with a layout of our own.
//
// Ids come from files that anyone may have written.  In both forms they stay text: quotes, brackets and backslashes are
// escaped, and what is neither UTF-8 nor printable becomes U+FFFD.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/graph/graph.h"

namespace unscatter::cli {

struct Point {
  double x = 0;
  double y = 0;
};
// Where nodes go, in [0, 1] x [0, 1].  Positions of the data, if there are any; otherwise springs along edges and
// repulsion between all nodes [Fruchterman91], from a circle on.  Nothing is random.  Large graphs stay on the circle.
[[nodiscard]] std::vector<Point> layout(const Graph& graph);

// What a node is called: its id, or its number.
[[nodiscard]] std::string node_name(const Graph& graph, std::span<const std::uint32_t> numbers, std::size_t node);

// `title` is what the graph is called.  `numbers`: what requests call its nodes; empty: 0, 1, 2, ...
[[nodiscard]] std::string dot_text(const Graph& graph, std::span<const std::uint32_t> numbers, std::string_view title);
[[nodiscard]] std::string svg_text(const Graph& graph, std::span<const std::uint32_t> numbers, std::string_view title);

}  // namespace unscatter::cli
