#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include "part_formulas.h"

namespace unscatter::edge_kinds_test {
namespace {

using testing::DenseGraph;

// h = C^T A C as a product of dense matrices.
std::vector<double> by_matrices(const Graph& graph, std::size_t centres, std::size_t labels) {
  const DenseGraph dense(graph);
  Matrix C = Matrix::Zero(dense.n(), static_cast<Eigen::Index>(centres + labels));
  for (Eigen::Index i = 0; i < dense.n(); ++i) {
    const std::vector<double> shares = testing::soft(std::log(1 + dense.degree(i)), 0, 6.2, centres);
    for (std::size_t k = 0; k < centres; ++k) C(i, static_cast<Eigen::Index>(k)) = shares[k];
    const std::size_t node = dense.original[static_cast<std::size_t>(i)];
    if (labels == 0 || !graph.has_labels() || !graph.has_features(node)) continue;
    C(i, static_cast<Eigen::Index>(centres + static_cast<std::size_t>(graph.label(node)) % labels)) = 1;
  }
  const RowMatrix H = C.transpose() * dense.A * C;
  return testing::hel(std::vector<double>(H.data(), H.data() + H.size()));
}

TEST(EdgeKinds, FollowTheirFormula) {
  for (const auto& [text, centres, labels] :
       {std::tuple("edge-kinds", 16u, 8u), std::tuple("edge-kinds:5:3", 5u, 3u), std::tuple("edge-kinds:4:0", 4u, 0u),
        std::tuple("edge-kinds:2:1", 2u, 1u)}) {
    const std::size_t b = centres;
    const std::size_t l = labels;
    testing::expect_formula(
        text, [b, l](const Graph& graph) { return by_matrices(graph, b, l); }, 1e-6);
  }
}

// A star whose centre is beyond the last place: every edge has one end at each end of the scale.
TEST(EdgeKinds, LargerDegreesShareTheLastCentre) {
  GraphParts star;
  star.node_count = 2001;
  for (NodeIndex leaf = 1; leaf <= 2000; ++leaf) star.edges.push_back({0, leaf});
  GraphShape shape;
  const std::vector<double> columns =
      testing::part_columns("edge-kinds:2:0", Graph::create(std::move(star)).value(), shape);
  const double near_one = std::log(2.0) / 6.2;  // where a leaf stands
  EXPECT_EQ(columns[0], 0);
  EXPECT_NEAR(columns[1] * columns[1], (1 - near_one) / 2, 1e-12);
  EXPECT_NEAR(columns[2], columns[1], 1e-12);
  EXPECT_NEAR(columns[3] * columns[3], near_one, 1e-12);
}

}  // namespace
}  // namespace unscatter::edge_kinds_test
