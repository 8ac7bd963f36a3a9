// A graph as bytes (docs/workspace-format.md, "Graphs").
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"

namespace unscatter {

// Everything about the graph.  Equal graphs give equal bytes.
[[nodiscard]] std::vector<std::byte> to_blob(const Graph& graph);
// The inverse, for bytes from anywhere.  Gives a graph whose to_blob() is exactly these bytes, or kMalformedInput.
// Memory is bounded by a small multiple of the number of bytes.
[[nodiscard]] Result<Graph> graph_from_blob(std::span<const std::byte> bytes);
// The ids of its nodes that are no tombstones, in the order of the nodes, as places in `bytes`.  Nothing is checked but
// the way there: for bytes that to_blob() wrote.  Errors: kMalformedInput.
[[nodiscard]] Result<std::vector<std::string_view>> node_ids_in_blob(std::span<const std::byte> bytes);

}  // namespace unscatter
