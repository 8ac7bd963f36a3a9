// What somebody asks to be forgotten.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

namespace unscatter {

// A graph or a node: its number in the data the session was created with (0-based, or as Dataset::numbers says; numbers
// are never reused, so they stay valid whatever was removed before), or its external id where the data has them.
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
// Every node with this external id, in every graph: a user who leaves.
struct ForgetSubject {
  std::string id;
};

using RemovalRequest = std::variant<ForgetFeatures, ForgetNode, ForgetEdge, ForgetGraph, ForgetSubject>;

// How many of each kind, for records that must not name what was removed.
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

}  // namespace unscatter
