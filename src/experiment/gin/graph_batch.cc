#include "experiment/gin/graph_batch.h"

#include <utility>

#include "unscatter/base/invariant.h"

namespace unscatter::gin {
namespace {

SparseRows sparse_features(const NodeSignals& signals, std::size_t channels) {
  SparseRows rows;
  rows.columns = channels;
  for (std::size_t i = 0; i < signals.nodes; ++i) {
    const std::span<const double> values = signals.node(i);
    for (std::size_t k = 0; k < values.size(); ++k) {
      // One-hot features are zero almost everywhere.  Only the others are stored.
      if (values[k] != 0) rows.add_entry(signals.channels[k], static_cast<float>(values[k]));
    }
    rows.end_row();
  }
  return rows;
}

SparseRows adjacency_of(const Graph& graph) {
  SparseRows rows;
  rows.columns = graph.node_count();
  rows.offsets.assign(graph.offsets().begin(), graph.offsets().end());
  rows.column.assign(graph.entries().begin(), graph.entries().end());
  // Row i holds the neighbours of node i, which are what GIN sums over.
  rows.value.assign(graph.entry_count(), 1.0F);
  return rows;
}

// Puts `rows` below the rows of `to`, with columns moved to the right.
void append(const SparseRows& rows, std::uint32_t first_column, SparseRows& to) {
  const std::uint32_t first_entry = to.offsets.back();
  for (std::size_t i = 1; i < rows.offsets.size(); ++i) to.offsets.push_back(first_entry + rows.offsets[i]);
  for (const std::uint32_t column : rows.column) to.column.push_back(first_column + column);
  to.value.insert(to.value.end(), rows.value.begin(), rows.value.end());
}

}  // namespace

Result<std::vector<PreparedGraph>> prepare_graphs(const Dataset& dataset, std::span<const std::size_t> chosen,
                                                  const FeatureMap& features) {
  std::vector<PreparedGraph> prepared;
  prepared.reserve(chosen.size());
  FeatureMap::Scratch scratch;
  NodeSignals signals;
  for (const std::size_t i : chosen) {
    if (i >= dataset.size()) throw InvariantViolation("GIN: a graph that is not in the data set");
    UNSCATTER_CHECK_OK(features.signals(dataset.graphs[i], scratch, signals));
    prepared.push_back(
        {sparse_features(signals, features.width()), adjacency_of(dataset.graphs[i]), dataset.labels[i]});
  }
  return prepared;
}

GraphBatch make_batch(const std::vector<PreparedGraph>& graphs, std::span<const std::size_t> chosen) {
  GraphBatch batch;
  batch.features.columns = graphs.at(chosen[0]).features.columns;
  for (const std::size_t i : chosen) {
    const PreparedGraph& graph = graphs.at(i);
    const auto first_node = static_cast<std::uint32_t>(batch.nodes());
    const auto end_node = static_cast<std::uint32_t>(first_node + graph.adjacency.rows());
    append(graph.features, 0, batch.features);
    // Moved columns make the matrix block diagonal, so no graph sees another one.
    append(graph.adjacency, first_node, batch.adjacency);
    const float share = 1.0F / static_cast<float>(graph.adjacency.rows());
    for (std::uint32_t node = first_node; node < end_node; ++node) batch.averages.add_entry(node, share);
    batch.averages.end_row();
    batch.labels.push_back(graph.label);
  }
  batch.adjacency.columns = batch.nodes();
  batch.averages.columns = batch.nodes();
  return batch;
}

}  // namespace unscatter::gin
