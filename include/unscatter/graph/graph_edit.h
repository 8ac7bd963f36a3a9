// Edits that forget: what a removal request does to one graph.  Edits that correct: what was wrong in it.
//
// One rule stands behind all of them (docs/notation.md, "deletion-closed"): the edited graph carries nothing of what
// was removed.  So everything that is derived from a graph (degrees, wavelets, embeddings) is computed from the edited
// graph alone.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

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

// Other features for a node.  A part that is not given stays.  A node whose features were removed has features again:
// then all that nodes of this graph have must be given.
struct ReplaceFeatures {
  NodeIndex node = 0;
  std::optional<std::vector<double>> attributes;  // as many as nodes of this graph have
  std::optional<std::int64_t> label;              // of the node, in a graph whose nodes have labels
};
// Undirected graph: an edge between the two nodes.  Directed graph: an edge from -> to.
struct InsertEdge {
  NodeIndex from = 0;
  NodeIndex to = 0;
  // Needed if edges of this graph have weights.  If they have none, they count 1 each, and any other weight gives a
  // weight to all.
  std::optional<double> weight;
};

using GraphCorrection = std::variant<ReplaceFeatures, InsertEdge>;

// The corrected graph.  It equals, bit for bit, the graph that was built that way.  Errors, each with a reason:
// kNotFound (no such node), kInvalidArgument (nothing given; the node is removed; a part that the graph does not have
// or of another width; a number that is not finite; an edge that is there already or joins a node to itself; no
// weight).
[[nodiscard]] Result<Graph> correct(const Graph& graph, const GraphCorrection& correction);

}  // namespace unscatter
