// What the parts of images know about one graph: places, colours, and steerable wavelets.
//
// Only nodes that have features count.  Symbols of docs/embeddings.md:
//
//   p_i      the position of node i, both coordinates cut to [0, 1]
//   x_i      with three attributes R, G, B or more: (R+G+B)/3, R-B, G-(R+B)/2; else the first attribute.  Attributes
//   are
//            cut to [0, 1] first.
//   w_ij     exp(-|p_j - p_i|^2 / (2 s^2)), divided by its sum over j; u_ij = (p_j - p_i) / s
//   g_i      sum_j w_ij u_ij x_j - (sum_j w_ij u_ij) (sum_j w_ij x_j)                       two numbers per channel
//   M_i      sum_j w_ij u_ij u_ij^T x_j - (sum_j w_ij u_ij u_ij^T) (sum_j w_ij x_j)         three numbers per channel
//
// g and M are 0 where x is constant.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

class ImageShape {
 public:
  ImageShape() = default;
  ImageShape(const ImageShape&) = delete;
  ImageShape& operator=(const ImageShape&) = delete;
  ~ImageShape();

  // Forgets the graph before.
  void look_at(const Graph& graph);
  // The same with other positions, for a graph that may have none.  place(i) gives them: a pair of numbers per node.
  template <typename Place>
  void look_at(const Graph& graph, Place place) {
    forget();
    if (graph.attribute_count() == 0) return;
    channels_ = graph.attribute_count() >= 3 ? 3 : 1;
    for (NodeIndex i = 0; i < graph.node_count(); ++i) {
      if (graph.has_features(i)) add(graph.attributes(i), place(i));
    }
  }

  // Nodes with features, of a graph with positions and attributes.  0: there is no image.
  [[nodiscard]] std::size_t nodes() const { return count_; }
  [[nodiscard]] std::size_t channels() const { return channels_; }  // 1 or 3
  // One row per node, one column per channel.
  [[nodiscard]] Eigen::Map<const RowMatrix> values() const;

  // Per node and channel g (2 numbers), then M (rr, rc, cc): five numbers.  Kept for a few scales.
  struct Wavelets {
    double scale = 0;
    std::vector<double> gradients;  // (node * channels + channel) * 2
    std::vector<double> bends;      // (node * channels + channel) * 3
  };
  [[nodiscard]] const Wavelets& wavelets(double scale);

  // g of any maps, one column each.  Writes nodes() x (2 * columns) numbers: both numbers of a map side by side.
  void gradients_of(std::span<const double> maps, std::size_t columns, double scale, std::span<double> gradients);

  // Means of maps by place, on a side x side grid of windows:
  //
  //   v[map, a, b] = sum_i k_i(a, b) f_i[map] / (sum_i k_i(a, b) + 10^-6)
  //   k_i(a, b) = exp(-|p_i - (a + 1/2, b + 1/2) / side|^2 / (2 (width / side)^2))
  //
  // `maps` has a row per node.  `means` has columns * side^2 numbers; b runs fastest.
  void pool(std::span<const double> maps, std::size_t columns, std::size_t side, double width, std::span<double> means);

 private:
  static constexpr std::size_t kKept = 4;

  void forget();
  void add(std::span<const double> attributes, std::array<double, 2> place);
  void fill_weights(double scale);

  std::size_t count_ = 0;
  std::size_t channels_ = 0;
  std::vector<double> rows_;
  std::vector<double> columns_;
  std::vector<double> values_;
  std::vector<double> near_rows_;
  std::vector<double> near_columns_;
  std::array<Wavelets, kKept> kept_;
  std::size_t kept_count_ = 0;
  // Memory that is reused.
  std::vector<double> weights_;
  std::vector<double> moments_;
  std::vector<double> sums_;
  std::vector<double> windows_;
  std::vector<double> pooled_;
};

}  // namespace unscatter
