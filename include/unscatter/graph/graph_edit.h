// Edits that forget: what a removal request does to one graph.
//
// One rule stands behind all of them (docs/notation.md, "deletion-closed"): the edited graph carries nothing of what
// was removed.  So everything that is derived from a graph (degrees, wavelets, embeddings) is computed from the edited
// graph alone.
#pragma once

#include <optional>
#include <variant>

#include "unscatter/graph/graph.h"

namespace unscatter {

enum class NodeRemoval {
  kCompact,    // the result equals, bit for bit, the graph built without the node; later nodes move up by one
  kTombstone,  // features and edges go, the node keeps its place and still counts in averages, as in the paper
};

struct RemoveNode {
  NodeIndex node = 0;
  NodeRemoval style = NodeRemoval::kCompact;
};
// Removes the features and keeps the edges.  Attributes, label and position become 0, and no feature map sees the node.
// The external id stays, since later requests name the node by it.
struct RemoveFeatures {
  NodeIndex node = 0;
};
// Undirected graph: the edge between the two nodes.  Directed graph: the edge from -> to only.
struct RemoveEdge {
  NodeIndex from = 0;
  NodeIndex to = 0;
};
struct RemoveGraph {};

using GraphEdit = std::variant<RemoveNode, RemoveFeatures, RemoveEdge, RemoveGraph>;

// The edited graph.  Empty if no living node is left, and always for RemoveGraph.  Errors, each with a reason:
// kNotFound (no such node or edge), kInvalidArgument (already removed).
[[nodiscard]] Result<std::optional<Graph>> apply(const Graph& graph, const GraphEdit& edit);

}  // namespace unscatter
