// shapes:B  Nodes by the degrees around them.
//
//   h[a, b, c] = number of nodes at (l(d), l(me), mean of l(me) over the neighbours), each soft(0, 8.4, B)
//   columns = sqrt(h / sum h)
//
// d degree, me the mean degree of the neighbours; 0 for a node without neighbours.  B^3 columns, c runs fastest, of
// norm 1.  B = 9.  Cost: O(n + m).
//
// clustering:B:C  Nodes by degrees and by how closed their neighbourhoods are.
//
//   h[a, b, c] = number of nodes at (l(d), l(me), cc), soft(0, 8.4, B) twice and soft(0, 1, C)
//   cc = triangles / max(d (d - 1) / 2, 1),    columns = sqrt(h / sum h)
//
// B^2 C columns of norm 1.  B = 9, C = 6.  Cost: O(n + m sqrt(m)) for the triangles.
//
// closure:B:C  The same without the neighbours' degrees: h[a, c] = number of nodes at (l(d), cc).  B C columns of norm
// 1, B = 25, C = 11.
#include "embedding/blocks/shapes.h"

#include <algorithm>
#include <array>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kShapesConstants = {PartConstant{"centres", 9, 2, 32}};
constexpr std::array kClusteringConstants = {PartConstant{"centres", 9, 2, 32},
                                             PartConstant{"closed centres", 6, 2, 32}};

constexpr std::array kClosureConstants = {PartConstant{"centres", 25, 2, 256},
                                          PartConstant{"closed centres", 11, 2, 256}};

Between closed_place(GraphShape& shape, std::size_t i, std::size_t centres) {
  return {closed_share(shape, i), 1, centres};
}

class ShapesPart final : public Part {
 public:
  explicit ShapesPart(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return centres_ * centres_ * centres_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    draw_shapes(shape, centres_, share, columns);
  }

 private:
  std::size_t centres_;
};

class ClusteringPart final : public Part {
 public:
  ClusteringPart(std::size_t centres, std::size_t closed_centres) : centres_(centres), closed_(closed_centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return centres_ * centres_ * closed_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    draw_clustering(shape, centres_, closed_, share, columns);
  }

 private:
  std::size_t centres_;
  std::size_t closed_;
};

class ClosurePart final : public Part {
 public:
  ClosurePart(std::size_t centres, std::size_t closed_centres) : centres_(centres), closed_(closed_centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return centres_ * closed_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::span<const double> own = shape.log_degrees();
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      add_to_grid(columns, Between(own[i], kLargestLog, centres_), closed_place(shape, i, closed_), closed_);
    }
    finish_histogram(columns, share);
  }

 private:
  std::size_t centres_;
  std::size_t closed_;
};

}  // namespace

double closed_share(GraphShape& shape, std::size_t i) {
  const auto degree = static_cast<double>(shape.degree(i));
  const double pairs = std::max(degree * (degree - 1) / 2, 1.0);
  return static_cast<double>(shape.triangles()[i]) / pairs;
}

void draw_shapes(GraphShape& shape, std::size_t centres, double share, std::span<double> columns) {
  const std::span<const double> own = shape.log_degrees();
  const std::span<const double> near = shape.log_neighbour_degrees();
  const std::span<const double> far = shape.log_second_degrees();
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    add_to_grid(columns, Between(own[i], kLargestLog, centres), Between(near[i], kLargestLog, centres),
                Between(far[i], kLargestLog, centres), centres, centres);
  }
  finish_histogram(columns, share);
}

void draw_clustering(GraphShape& shape, std::size_t centres, std::size_t closed_centres, double share,
                     std::span<double> columns) {
  const std::span<const double> own = shape.log_degrees();
  const std::span<const double> near = shape.log_neighbour_degrees();
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    add_to_grid(columns, Between(own[i], kLargestLog, centres), Between(near[i], kLargestLog, centres),
                closed_place(shape, i, closed_centres), centres, closed_centres);
  }
  finish_histogram(columns, share);
}

const PartKind kShapesPart = {
    "shapes", kShapesConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const ShapesPart>(whole(constants[0])));
    }};
const PartKind kClusteringPart = {
    "clustering", kClusteringConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(
          std::make_unique<const ClusteringPart>(whole(constants[0]), whole(constants[1])));
    }};

const PartKind kClosurePart = {
    "closure", kClosureConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const ClosurePart>(whole(constants[0]), whole(constants[1])));
    }};

}  // namespace unscatter
