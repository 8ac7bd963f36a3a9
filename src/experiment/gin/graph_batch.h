// Graphs as the network reads them: several graphs side by side, as one graph of many components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experiment/gin/sparse_rows.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"
#include "unscatter/graph/dataset.h"

namespace unscatter::gin {

// One graph: X (nodes x channels), A with A_ij = 1 for an edge j -> i, and its class.
struct PreparedGraph {
  SparseRows features;
  SparseRows adjacency;
  std::uint32_t label = 0;
};

// Nodes of all graphs one after the other.
struct GraphBatch {
  SparseRows features;               // nodes x channels
  SparseRows adjacency;              // nodes x nodes, block diagonal
  SparseRows averages;               // graphs x nodes: 1 / (nodes of the graph)
  std::vector<std::int64_t> labels;  // one per graph

  [[nodiscard]] std::size_t nodes() const noexcept { return adjacency.rows(); }
  [[nodiscard]] std::size_t graphs() const noexcept { return averages.rows(); }
};

// The graphs `chosen` of `dataset`, in that order, with the channels of `features`.  Errors: those of
// FeatureMap::signals().
[[nodiscard]] Result<std::vector<PreparedGraph>> prepare_graphs(const Dataset& dataset,
                                                                std::span<const std::size_t> chosen,
                                                                const FeatureMap& features);

// The graphs `chosen` of `graphs`, at least one.
[[nodiscard]] GraphBatch make_batch(const std::vector<PreparedGraph>& graphs, std::span<const std::size_t> chosen);

}  // namespace unscatter::gin
