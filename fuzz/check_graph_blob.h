#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fuzz/check.h"
#include "store/graph_blob.h"

namespace unscatter::fuzz {

[[nodiscard]] inline std::string check_graph_blob(std::span<const std::byte> bytes) {
  return check_one_spelling(bytes, graph_from_blob, [](const Graph& graph) { return to_blob(graph); });
}

}  // namespace unscatter::fuzz
