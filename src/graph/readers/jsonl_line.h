// One line of the JSONL form (docs/data-formats.md), as it comes from the JSON parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"

namespace unscatter::readers {

struct JsonlGraph {
  std::optional<std::string> id;
  std::optional<std::string> label;                       // empty: the key is missing or null
  std::optional<std::int64_t> expires;                    // seconds since 1970; empty: the key is missing or null
  std::vector<std::optional<std::int64_t>> node_expires;  // empty, or one per node, which then has an id
  GraphParts parts;  // every edge end is below node_count; self-loops and duplicates are still in
};

// Memory is bounded by a small multiple of the line's length, plus kFreeNodes nodes without anything.  The error is a
// message without a place.
[[nodiscard]] Result<JsonlGraph> parse_jsonl_line(std::string_view line);

// "nodes" may be a count.  Then it may claim this many nodes, and one more for each byte of the line.  That is enough
// for every real graph.  It keeps a line of twenty bytes from claiming a thousand million nodes.
inline constexpr std::size_t kFreeNodes = std::size_t{1} << 20;

// What is wrong with a line among others, for whoever reads a whole data set.
inline constexpr std::string_view kIdsForAllOrNone = "\"id\" must be given for all graphs or for none";
inline constexpr std::string_view kLabelMissing =
    "\"label\" is missing: every graph of a data set has a class; add it, or take the line out (predict and embed also "
    "take graphs without a label)";

// The names of node states in the file.
[[nodiscard]] std::string_view node_state_name(NodeState state) noexcept;

}  // namespace unscatter::readers
