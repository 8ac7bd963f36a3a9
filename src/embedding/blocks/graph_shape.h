// What the parts of an embedding know about one graph.  Each number is computed once, and only if a part asks for it.
//
// Nodes are numbered without tombstones, in the order of the graph.  Edges have lost their directions.  So a graph from
// which a node was taken out gives the same numbers as the graph that never had it, bit for bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "embedding/blocks/image_shape.h"
#include "embedding/transforms/node_shapes.h"
#include "unscatter/graph/graph.h"

namespace unscatter {

class Drawing;

// A node without a label, in parts that hash labels.
inline constexpr std::int64_t kNoLabel = INT64_MAX;

// One thread has one, and reuses its memory from graph to graph.  After some graphs nothing is allocated any more.
class GraphShape {
 public:
  GraphShape() = default;
  GraphShape(const GraphShape&) = delete;
  GraphShape& operator=(const GraphShape&) = delete;
  // Overwrites what it knows: the graph may be about to leave, and must not live on in memory that nobody owns.
  ~GraphShape();

  // Forgets the graph before.  `graph` must stay where it is until the next call.  Without `edges` only graph() and
  // image() may be asked for.
  void look_at(const Graph& graph, bool edges = true);

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] std::size_t nodes() const { return rows_.nodes(); }
  [[nodiscard]] std::size_t edges() const { return rows_.entries.size() / 2; }
  [[nodiscard]] const NeighbourRows& rows() const { return rows_; }
  [[nodiscard]] std::size_t degree(std::size_t i) const { return rows_.degree(i); }
  [[nodiscard]] std::span<const NodeIndex> neighbours(std::size_t i) const { return rows_.neighbours(i); }
  // The number of node i in the graph itself.
  [[nodiscard]] NodeIndex original(std::size_t i) const {
    return originals_.empty() ? static_cast<NodeIndex>(i) : originals_[i];
  }
  [[nodiscard]] bool has_features(std::size_t i) const { return graph_->has_features(original(i)); }
  // kNoLabel if the graph has no labels, or if the features of the node were removed.
  [[nodiscard]] std::int64_t label(std::size_t i) const {
    return graph_->has_labels() && has_features(i) ? graph_->label(original(i)) : kNoLabel;
  }

  // The label of a node that has one, modulo `count`; never negative.
  [[nodiscard]] std::size_t label_modulo(std::size_t i, std::size_t count) const {
    const auto divisor = static_cast<std::int64_t>(count);
    // The remainder of a negative number is negative in C++.
    return static_cast<std::size_t>((graph_->label(original(i)) % divisor + divisor) % divisor);
  }

  // l(d): ln(1 + degree).
  [[nodiscard]] std::span<const double> log_degrees();
  // l(me), me the mean degree of the neighbours, 0 for a node without neighbours.
  [[nodiscard]] std::span<const double> log_neighbour_degrees();
  // The mean of l(me) over the neighbours, 0 without neighbours.
  [[nodiscard]] std::span<const double> log_second_degrees();
  [[nodiscard]] std::span<const std::uint64_t> triangles();
  [[nodiscard]] std::span<const std::uint32_t> cores();
  // By entry of rows(): the length of the shortest cycle through that edge, 0 if it is above kLongestCycle or if there
  // is none.
  static constexpr std::uint32_t kLongestCycle = 8;
  [[nodiscard]] std::span<const std::uint8_t> cycle_lengths();
  // By node of the graph itself, for a directed one: the number of edges that leave it.
  [[nodiscard]] std::span<const double> out_degrees();

  // Places and colours.
  [[nodiscard]] ImageShape& image();
  // From now on, with the places of a drawing of this graph.
  void set_image(const Drawing& drawing, std::size_t view);

  // Memory for a part while it is drawn, all zero.  What another part left there is gone.
  static constexpr std::size_t kPads = 8;
  [[nodiscard]] std::span<double> numbers(std::size_t pad, std::size_t count);
  [[nodiscard]] std::span<std::uint64_t> words(std::size_t pad, std::size_t count);
  [[nodiscard]] std::span<NodeIndex> indices(std::size_t pad, std::size_t count);

 private:
  void copy_rows();
  void mean_over_neighbours(std::span<const double> values, std::vector<double>& means) const;

  const Graph* graph_ = nullptr;
  NeighbourRows rows_;
  std::vector<NodeIndex> originals_;  // empty: nothing was left out
  // The rows, where they are not those of the graph.
  std::vector<std::uint32_t> offsets_;
  std::vector<NodeIndex> entries_;
  std::vector<NodeIndex> places_;  // by node of the graph: its number here, if something was left out
  std::vector<std::uint32_t> out_offsets_;
  std::vector<NodeIndex> out_entries_;

  std::vector<double> degrees_;
  // Empty means not computed: a graph has at least one node.
  std::vector<double> log_degrees_;
  std::vector<double> log_neighbour_degrees_;
  std::vector<double> log_second_degrees_;
  std::vector<std::uint64_t> triangles_;
  std::vector<std::uint32_t> cores_;
  std::vector<std::uint8_t> cycle_lengths_;
  bool cycles_known_ = false;  // a graph may have no entries
  std::vector<double> out_degrees_;

  ImageShape image_;
  bool image_known_ = false;
  NodeShapeMemory shape_memory_;
  std::vector<NodeIndex> queue_;
  std::vector<std::uint32_t> depths_;
  std::array<std::vector<double>, kPads> numbers_;
  std::array<std::vector<std::uint64_t>, kPads> words_;
  std::array<std::vector<NodeIndex>, kPads> indices_;
};

}  // namespace unscatter
