// A drawing of a graph in the unit square, from its edges alone.  A nearest-neighbour graph knows its own map, up to
// turns and mirrors.
//
//   D_ij   steps of the shortest path; 1.5 times the largest of these for nodes that no path joins
//   B      -1/2 (D_ij^2 - mean_j - mean_i + mean): classical scaling
//   X      two columns: 12 times X <- B X, each time made orthonormal (first column, then second); then the
//   eigenvectors
//          and eigenvalues of the 2 x 2 matrix X^T B X = U diag(e) U^T give X U diag(sqrt(max(e, 10^-9)))
//   start  X_ic = hash(c_i, c) / 2^64 - 1/2 for c = 0, 1; c_i = mix(degree), then three times, for all nodes at once,
//          c_i <- mix(c_i P + mix(sum over neighbours j of mix(c_j))); if fewer than three nodes differ in c_i, the
//          number of the node is taken for c_i
//   stress 10 times, for all nodes at once, with w_ij = 1 / D_ij^2 and j over all other nodes:
//          x_i <- sum_j w_ij (x_j + D_ij (x_i - x_j) / sqrt(|x_i - x_j|^2 + 0.1)) / sum_j w_ij
//   place  centred, divided by the root of the mean of |x_i|^2, turned by -(arg M - pi) / 4 with M = sum_i (x_i + i
//   y_i)^4,
//          times 0.408, plus (1/2, 1/2)
//
// The turn puts the sides of a square along the axes.  So eight drawings are alike: four turns, each with its mirror.
// Cost: O(n m) for the distances, O(n^2) per step.
#pragma once

#include <cstddef>
#include <vector>

#include "embedding/blocks/graph_shape.h"

namespace unscatter {

// Memory that is reused from graph to graph.
class Drawing {
 public:
  Drawing() = default;
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing();

  void draw(GraphShape& shape);
  // Of node i of the shape, in one of the eight views: 0 is the drawing itself, 1 to 3 are turns by a quarter each, 4
  // to 7 are the same with the coordinates exchanged.
  struct Place {
    double row;
    double column;
  };
  [[nodiscard]] Place place(std::size_t i, std::size_t view) const;
  static constexpr std::size_t kViews = 8;

 private:
  void fill_distances(const GraphShape& shape);
  void start(GraphShape& shape);
  void scale_classically();
  void relax();
  void settle();

  std::size_t count_ = 0;
  std::vector<double> distances_;
  std::vector<double> products_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> next_x_;
  std::vector<double> next_y_;
  std::vector<NodeIndex> queue_;
};

}  // namespace unscatter
