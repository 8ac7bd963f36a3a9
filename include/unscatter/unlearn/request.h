// What somebody asks to be forgotten or corrected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace unscatter {

// A graph or a node, by number or by external id.  The number is that of the data the session was created with: counted
// from 0, or as Dataset::numbers says.  Graphs that were added later have the numbers that follow.  Numbers are never
// reused, so they stay valid whatever was removed before. External ids are there if the data has them.
using GraphKey = std::variant<std::size_t, std::string>;
using NodeKey = std::variant<std::size_t, std::string>;

// The features of one node; its edges stay.
struct ForgetFeatures {
  GraphKey graph;
  NodeKey node;
};
// A node with everything: features, edges, place.
struct ForgetNode {
  GraphKey graph;
  NodeKey node;
};
// One edge (of a directed graph: from -> to only).
struct ForgetEdge {
  GraphKey graph;
  NodeKey from;
  NodeKey to;
};
struct ForgetGraph {
  GraphKey graph;
};
// Every node with this external id, in every graph: a person who leaves.
struct ForgetSubject {
  std::string id;
};

using RemovalRequest = std::variant<ForgetFeatures, ForgetNode, ForgetEdge, ForgetGraph, ForgetSubject>;

// What was wrong in the data, and what is right instead.
//
// Other features for a node: attributes, its label, or both.  What is not given stays.
struct SetFeatures {
  GraphKey graph;
  NodeKey node;
  std::optional<std::vector<double>> attributes = {};
  std::optional<std::int64_t> label = {};
};
// An edge that was missing (of a directed graph: from -> to only).
struct AddEdge {
  GraphKey graph;
  NodeKey from;
  NodeKey to;
  std::optional<double> weight = {};  // needed where edges have weights
};
// An edge that should not be there.
struct DropEdge {
  GraphKey graph;
  NodeKey from;
  NodeKey to;
};
// The class of a graph, by name.
struct SetLabel {
  GraphKey graph;
  std::string class_name;
};

using Correction = std::variant<SetFeatures, AddEdge, DropEdge, SetLabel>;

// How many of each kind, for records that must not name what was removed.  Of an addition: `graphs` that came.  Of
// corrections: `features` of nodes, `edges` that came or went, and `graphs` with another class.
struct RequestCounts {
  std::size_t features = 0;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  std::size_t graphs = 0;
  std::size_t subjects = 0;

  [[nodiscard]] std::size_t total() const noexcept { return features + nodes + edges + graphs + subjects; }
  friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};

// What becomes of a batch in which a request cannot be honoured.
enum class OnRefusal {
  kRefuseBatch,  // no request is honoured; the error says which one is refused and why
  kStopBefore,   // the requests before it are honoured
  kPassOver,     // all others are honoured
};

// For messages: "node 3 of graph 17".
[[nodiscard]] std::string describe(const RemovalRequest& request);
// "class of graph 17"; the new value is not named.
[[nodiscard]] std::string describe(const Correction& correction);

}  // namespace unscatter
