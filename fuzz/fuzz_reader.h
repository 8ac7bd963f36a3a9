// What the fuzz targets of readers share: small limits, and a check of every data set that they return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "graph/readers/entry_points.h"

namespace unscatter::fuzz {

inline const ReadOptions& small_options() {
  static const ReadOptions options = {
      .limits = {.max_bytes = 1 << 20, .max_nodes = 1 << 16, .max_edges = 1 << 18, .max_graphs = 1 << 12},
      .threads = 1};
  return options;
}

// The result must be an error with a message, or a data set that is consistent.
template <typename Reader>
int read_and_check(Reader reader, const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  const Result<Dataset> dataset = reader(readers::Input::memory("input", bytes), small_options());
  if (!dataset.ok()) {
    if (dataset.error().message.empty()) std::abort();
    return 0;
  }
  const DatasetSummary summary = summarise(*dataset);
  if (summary.graphs == 0 || summary.nodes > small_options().limits.max_nodes) std::abort();
  if (dataset->labels.size() != dataset->graphs.size()) std::abort();
  static_cast<void>(content_digest(*dataset));
  return 0;
}

}  // namespace unscatter::fuzz
