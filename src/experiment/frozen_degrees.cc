#include "experiment/frozen_degrees.h"

#include <algorithm>
#include <utility>

namespace unscatter {

bool has_only_degrees(const Dataset& dataset) {
  return std::none_of(dataset.graphs.begin(), dataset.graphs.end(),
                      [](const Graph& graph) { return graph.has_labels() || graph.attribute_count() > 0; });
}

Dataset with_frozen_degrees(const Dataset& dataset) {
  Dataset frozen;
  frozen.name = dataset.name;
  frozen.class_names = dataset.class_names;
  frozen.labels = dataset.labels;
  frozen.graphs.reserve(dataset.size());
  for (const Graph& graph : dataset.graphs) {
    GraphParts parts;
    parts.node_count = graph.node_count();
    parts.directed = graph.directed();
    // A label stays with its node when a neighbour goes.  A degree would follow.
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      parts.labels.push_back(static_cast<std::int64_t>(graph.degree(i)));
    }
    const auto offsets = graph.offsets();
    const auto entries = graph.entries();
    frozen.graphs.push_back(
        // The rows come from a graph that is valid, so this cannot fail.
        Graph::from_rows(std::move(parts), {offsets.begin(), offsets.end()}, {entries.begin(), entries.end()}).value());
  }
  return frozen;
}

}  // namespace unscatter
