// One graph: which nodes are connected, and what is known about each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "unscatter/base/result.h"

namespace unscatter {

using NodeIndex = std::uint32_t;

// What is left of a node.  It is kPresent unless its features or the node itself (with a tombstone) were removed.
enum class NodeState : std::uint8_t {
  kPresent = 0,
  kFeatureless = 1,  // features removed, edges kept
  kTombstone = 2,    // features and edges removed, still counted in the averages
};

// One edge of an edge list.
struct Edge {
  NodeIndex from;
  NodeIndex to;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// What a Graph is made of.  Optional parts are left empty.
struct GraphParts {
  std::size_t node_count = 0;
  bool directed = false;
  std::vector<Edge> edges;  // any order; undirected: one or both directions; duplicates and self-loops are dropped
  // One per edge of `edges`, or empty: the graph has no weights, and every edge counts 1.  Copies of an edge in one
  // direction add up.  If an undirected graph lists an edge in both directions, both must have the same weight.
  // from_rows() takes one per entry of its rows instead.
  std::vector<double> weights;
  std::size_t attribute_count = 0;    // real numbers per node
  std::vector<double> attributes;     // row major, node_count x attribute_count
  std::vector<std::int64_t> labels;   // one per node
  std::vector<double> positions;      // row major, node_count x 2
  std::vector<std::string> node_ids;  // external ids, one per node, distinct
  std::vector<NodeState> states;      // one per node: what earlier removals left
};

// Weights are at most this large, so that the sum of both directions of an edge is finite.
inline constexpr double kMaxEdgeWeight = 1e300;

// Compressed sparse rows.  Row i lists the nodes j with an edge j -> i, in ascending order and without i itself.  These
// are the neighbours in an undirected graph and the in-neighbours in a directed one.  A value type.  Any number of
// threads may read it at the same time.
class Graph {
 public:
  // Errors (kMalformedInput, naming the value): no nodes, an edge end outside the graph, a part of the wrong size, a
  // number that is not finite, a node id that occurs twice or is empty, a tombstone with edges, a removed feature that
  // is not 0, no living node, a weight beyond kMaxEdgeWeight, two directions of an undirected edge with different
  // weights.  kLimitExceeded: 2^32 nodes or edge entries, or more.
  [[nodiscard]] static Result<Graph> create(GraphParts parts);

  // The same from rows that are already sorted, distinct and free of self-loops, without an edge list in between.
  // `offsets` has node_count + 1 entries; parts.edges is ignored.  Errors as above.  A row out of order is
  // kMalformedInput, and so are rows of an undirected graph that are not symmetric.
  [[nodiscard]] static Result<Graph> from_rows(GraphParts parts, std::vector<std::uint32_t> offsets,
                                               std::vector<NodeIndex> neighbours);

  [[nodiscard]] std::size_t node_count() const noexcept { return offsets_.size() - 1; }
  // Nodes that are not tombstones.
  [[nodiscard]] std::size_t living_node_count() const noexcept;
  // Entries of all rows: twice the number of edges if undirected.
  [[nodiscard]] std::size_t entry_count() const noexcept { return neighbours_.size(); }
  [[nodiscard]] std::size_t edge_count() const noexcept { return directed_ ? entry_count() : entry_count() / 2; }
  [[nodiscard]] bool directed() const noexcept { return directed_; }

  // In-degree if directed.
  [[nodiscard]] std::size_t degree(std::size_t i) const { return offsets_[i + 1] - offsets_[i]; }
  [[nodiscard]] std::span<const NodeIndex> neighbours(std::size_t i) const {
    return {neighbours_.data() + offsets_[i], degree(i)};
  }
  // A graph without edges has no weights.
  [[nodiscard]] bool has_weights() const noexcept { return !weights_.empty(); }
  // The weights of the edges that neighbours(i) names, in that order.  Empty if the graph has no weights.
  [[nodiscard]] std::span<const double> weights(std::size_t i) const {
    if (weights_.empty()) return {};
    return {weights_.data() + offsets_[i], degree(i)};
  }
  [[nodiscard]] bool has_edge(std::size_t from, std::size_t to) const;
  [[nodiscard]] std::span<const std::uint32_t> offsets() const noexcept { return offsets_; }
  [[nodiscard]] std::span<const NodeIndex> entries() const noexcept { return neighbours_; }
  [[nodiscard]] std::span<const double> entry_weights() const noexcept { return weights_; }

  [[nodiscard]] NodeState state(std::size_t i) const { return states_.empty() ? NodeState::kPresent : states_[i]; }
  [[nodiscard]] bool has_features(std::size_t i) const { return state(i) == NodeState::kPresent; }

  [[nodiscard]] std::size_t attribute_count() const noexcept { return attribute_count_; }
  [[nodiscard]] std::span<const double> attributes(std::size_t i) const {
    return {attributes_.data() + i * attribute_count_, attribute_count_};
  }
  [[nodiscard]] bool has_labels() const noexcept { return !labels_.empty(); }
  [[nodiscard]] std::int64_t label(std::size_t i) const { return labels_[i]; }
  [[nodiscard]] bool has_positions() const noexcept { return !positions_.empty(); }
  [[nodiscard]] std::span<const double, 2> position(std::size_t i) const {
    return std::span<const double, 2>{positions_.data() + 2 * i, 2};
  }
  [[nodiscard]] bool has_node_ids() const noexcept { return !node_ids_.empty(); }
  [[nodiscard]] const std::string& node_id(std::size_t i) const { return node_ids_[i]; }

  // Overwrites everything in memory.  What remains is a graph without nodes, which may only be destroyed or assigned
  // to.
  void wipe() noexcept;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  friend class GraphEditor;
  Graph() = default;

  std::vector<std::uint32_t> offsets_{0};
  std::vector<NodeIndex> neighbours_;
  std::vector<double> weights_;  // empty, or one per entry of neighbours_
  bool directed_ = false;
  std::size_t attribute_count_ = 0;
  std::vector<double> attributes_;
  std::vector<std::int64_t> labels_;
  std::vector<double> positions_;
  std::vector<std::string> node_ids_;
  std::vector<NodeState> states_;  // empty: all present
};

// The undirected graph with an edge wherever `graph` has one in either direction.  If the graph has weights, the edge
// has the sum of the weights of both directions.  Everything else is kept.
[[nodiscard]] Graph symmetrised(const Graph& graph);

}  // namespace unscatter
