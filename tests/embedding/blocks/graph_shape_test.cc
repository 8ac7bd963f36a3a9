#include "embedding/blocks/graph_shape.h"

#include <gtest/gtest.h>

#include "dense_graph.h"

namespace unscatter::graph_shape_test {
namespace {

// One shape looks at all graphs, so that what one graph leaves behind would show in the next.
TEST(GraphShape, EveryNumberIsTheOneOfTheDenseGraph) {
  GraphShape shape;
  for (const Graph& graph : testing::graphs_of_all_kinds()) {
    const testing::DenseGraph dense(graph);
    shape.look_at(graph);
    const Eigen::Index n = dense.n();
    ASSERT_EQ(shape.nodes(), static_cast<std::size_t>(n));
    EXPECT_EQ(static_cast<double>(shape.edges()), dense.edges());
    Vector near(n);
    for (Eigen::Index i = 0; i < n; ++i) near(i) = std::log1p(dense.mean_over_neighbours(i, dense.degrees()));
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_EQ(shape.original(k), dense.original[k]);
      EXPECT_EQ(static_cast<double>(shape.degree(k)), dense.degree(i));
      EXPECT_EQ(shape.log_degrees()[k], std::log1p(dense.degree(i)));
      EXPECT_NEAR(shape.log_neighbour_degrees()[k], near(i), 1e-13);
      EXPECT_NEAR(shape.log_second_degrees()[k], dense.mean_over_neighbours(i, near), 1e-13);
      EXPECT_EQ(static_cast<double>(shape.triangles()[k]), dense.triangles(i));
      EXPECT_EQ(shape.cores()[k], dense.core(i));
      std::uint32_t at = shape.rows().offsets[k];
      for (const NodeIndex j : shape.neighbours(k)) {
        EXPECT_EQ(dense.A(i, j), 1);
        EXPECT_EQ(shape.cycle_lengths()[at++], dense.cycle(i, j)) << i << ' ' << j;
      }
    }
  }
}

// Long cycles, and edges on none.
TEST(GraphShape, CyclesUpToEightCount) {
  for (const NodeIndex length : {3u, 7u, 8u, 9u}) {
    GraphParts parts;
    parts.node_count = length + 2;
    for (NodeIndex i = 0; i < length; ++i) parts.edges.push_back({i, (i + 1) % length});
    parts.edges.push_back({0, length});
    parts.edges.push_back({length, length + 1});
    const Graph graph = Graph::create(parts).value();
    GraphShape shape;
    shape.look_at(graph);
    const auto lengths = shape.cycle_lengths();
    const auto expected = static_cast<std::ptrdiff_t>(length <= 8 ? 2 * length : 0);
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), length), expected);
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 0), static_cast<std::ptrdiff_t>(lengths.size()) - expected);
  }
}

}  // namespace
}  // namespace unscatter::graph_shape_test
