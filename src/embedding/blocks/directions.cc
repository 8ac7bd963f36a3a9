// directions:B  Nodes by in- and out-degree, edges by the degrees of their ends.
//
//   h[a, b] = number of nodes at (l(in-degree), l(out-degree)), each soft(0, 8.4, B)
//   e[a, b] = number of edges at (l(out-degree of the start), l(in-degree of the end))
//   columns = sqrt(h / sum h) / sqrt(2), sqrt(e / sum e) / sqrt(2)
//
// 2 B^2 columns of norm at most 1, b runs fastest.  B = 8.  A graph without directions has 0.  Cost: O(n + m).
//
// weights  Edges by weight, nodes by sums of weights, on the wide scale of features/wide_scale.h (101 channels).
//
//   h_1 = edges by weight, every entry of a row counted (an edge without a direction twice)
//   h_2 = nodes by the sum of the weights that come in, h_3 = the same for those that go out, if there are directions
//   columns = sqrt(h / sum h), h = (h_1, h_2, h_3)
//
// Sums are cut to +-10^300.  303 columns of norm 1.  A graph without weights has 0.  Cost: O(n + m).
#include "embedding/blocks/directions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"
#include "embedding/features/wide_scale.h"

namespace unscatter {
namespace {

constexpr std::array kDirectionsConstants = {PartConstant{"centres", 8, 2, 256}};

class DirectionsPart final : public Part {
 public:
  explicit DirectionsPart(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return 2 * centres_ * centres_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::size_t half = centres_ * centres_;
    draw_directions(shape, centres_, share / 2, share / 2, columns.first(half), columns.subspan(half));
  }

 private:
  std::size_t centres_;
};

class WeightsPart final : public Part {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 3 * kWideChannels; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    draw_weights(shape, share, columns);
  }
};

}  // namespace

void draw_directions(GraphShape& shape, std::size_t centres, double share_of_nodes, double share_of_edges,
                     std::span<double> nodes, std::span<double> edges) {
  const Graph& graph = shape.graph();
  if (!graph.directed()) return;
  const std::span<const double> out = shape.out_degrees();
  const auto on_scale = [&](double degree) { return Between(std::log1p(degree), kLargestLog, centres); };
  for (std::size_t k = 0; k < shape.nodes(); ++k) {
    const NodeIndex i = shape.original(k);
    const Between in = on_scale(static_cast<double>(graph.degree(i)));
    add_to_grid(nodes, in, on_scale(out[i]), centres);
    for (const NodeIndex from : graph.neighbours(i)) add_to_grid(edges, on_scale(out[from]), in, centres);
  }
  finish_histogram(nodes, share_of_nodes);
  finish_histogram(edges, share_of_edges);
}

void draw_weights(GraphShape& shape, double share, std::span<double> columns) {
  const Graph& graph = shape.graph();
  if (!graph.has_weights()) return;
  const auto add_to = [columns](std::size_t which) {
    return [columns, which](std::size_t channel, double part) { columns[which * kWideChannels + channel] += part; };
  };
  // Sums stay finite: a weight is at most kMaxEdgeWeight, and so is what is kept of a sum.
  const auto sum_of = [](double a, double b) { return std::clamp(a + b, -kMaxEdgeWeight, kMaxEdgeWeight); };
  const std::span<double> out = shape.numbers(0, graph.node_count());
  for (std::size_t k = 0; k < shape.nodes(); ++k) {
    const NodeIndex i = shape.original(k);
    double in = 0;
    for (std::size_t at = 0; at < graph.degree(i); ++at) {
      const double weight = graph.weights(i)[at];
      on_wide_scale(weight, add_to(0));
      in = sum_of(in, weight);
      out[graph.neighbours(i)[at]] = sum_of(out[graph.neighbours(i)[at]], weight);
    }
    on_wide_scale(in, add_to(1));
  }
  for (std::size_t k = 0; graph.directed() && k < shape.nodes(); ++k) on_wide_scale(out[shape.original(k)], add_to(2));
  finish_histogram(columns, share);
}

const PartKind kDirectionsPart = {
    "directions", kDirectionsConstants, {.directed = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const DirectionsPart>(whole(constants[0])));
    }};
const PartKind kWeightsPart = {"weights", {}, {.weights = true}, [](std::span<const double>, const DataForm&) {
                                 return std::unique_ptr<const Part>(std::make_unique<const WeightsPart>());
                               }};

}  // namespace unscatter
