// One line of the JSONL form (docs/data-formats.md) as it comes out of the JSON parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"

namespace unscatter::readers {

struct JsonlGraph {
  std::optional<std::string> id;
  std::string label;
  GraphParts parts;  // self-loops and duplicates still in its edges, every end below node_count
};

// Memory is bounded by a small multiple of the line's length, and kFreeNodes bare nodes.  The error is a message
// without place.
[[nodiscard]] Result<JsonlGraph> parse_jsonl_line(std::string_view line);

// "nodes" given as a count may name this many nodes, and one more for each byte of the line: enough for every real
// graph, and no licence to claim a thousand million nodes in twenty bytes.
inline constexpr std::size_t kFreeNodes = std::size_t{1} << 20;

// The names of node states in the file.
[[nodiscard]] std::string_view node_state_name(NodeState state) noexcept;

}  // namespace unscatter::readers
