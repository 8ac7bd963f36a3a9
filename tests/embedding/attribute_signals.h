// Signals straight from node attributes, so that embedding tests need no feature maps.
#pragma once

#include "unscatter/embedding/node_signals.h"
#include "unscatter/embedding/transform.h"
#include "unscatter/linalg/dense.h"

namespace unscatter::testing {

// Channel k is attribute k.
inline NodeSignals attribute_signals(const Graph& graph) {
  NodeSignals signals;
  signals.nodes = graph.node_count();
  for (std::size_t k = 0; k < graph.attribute_count(); ++k) signals.channels.push_back(static_cast<std::uint32_t>(k));
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    signals.values.insert(signals.values.end(), graph.attributes(i).begin(), graph.attributes(i).end());
  }
  return signals;
}

inline RowMatrix as_matrix(const NodeSignals& signals) {
  return Eigen::Map<const RowMatrix>(signals.values.data(), static_cast<Eigen::Index>(signals.nodes),
                                     static_cast<Eigen::Index>(signals.width()));
}

// The embedding with every channel active: all columns, in order.
inline Vector embed_all(const Transform& transform, const Graph& graph, const NodeSignals& signals) {
  BlockRow row;
  const Status status = transform.embed(graph, signals, signals.width(), *transform.make_scratch(), row);
  if (!status.ok()) throw InvariantViolation(status.error().message);
  return Eigen::Map<const Vector>(row.values.data(), static_cast<Eigen::Index>(row.values.size()));
}

}  // namespace unscatter::testing
