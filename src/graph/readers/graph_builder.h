// From the edge lists of files to Graphs.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/graph.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {

// What the edge list of one graph held beyond its edges.
struct Dropped {
  std::size_t self_loops = 0;
  std::size_t duplicate_edges = 0;  // surplus rows; a pair i, j and its mirror image j, i are not duplicates
};

// Like Graph::create, but in linear time and with a count of what is dropped.  Every end of parts.edges must be below
// parts.node_count; the reader checks it, because it knows the line to blame.  An undirected result merges both
// directions.
[[nodiscard]] Result<Graph> build_graph(GraphParts parts, Dropped& dropped);

// Builds `count` graphs on options.threads threads and adds them in order to `dataset`, with the counts of what was
// dropped.  The error of the lowest index is returned, so that messages do not depend on timing.
[[nodiscard]] Status build_graphs(std::size_t count, const ReadOptions& options, Dataset& dataset,
                                  const std::function<Result<Graph>(std::size_t index, Dropped& dropped)>& build);

}  // namespace unscatter::readers
