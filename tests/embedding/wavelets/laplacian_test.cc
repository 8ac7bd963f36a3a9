#include "embedding/wavelets/laplacian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_graph.h"

namespace unscatter {
namespace {

TEST(DenseLaplacian, IsTheFormulaEntryByEntry) {
  const Graph graph = testing::random_graph(4, {.nodes = 14, .edge_probability = 0.1});
  const Matrix L = dense_laplacian(graph, "tests").value();
  bool isolated = false;
  for (std::size_t i = 0; i < 14; ++i) {
    isolated = isolated || graph.degree(i) == 0;
    for (std::size_t j = 0; j < 14; ++j) {
      const double degrees = static_cast<double>(graph.degree(i) * graph.degree(j));
      const double expected = i == j ? 1.0 : (graph.has_edge(j, i) ? -1 / std::sqrt(degrees) : 0.0);
      EXPECT_NEAR(L(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), expected, 1e-15);
    }
  }
  EXPECT_TRUE(isolated) << "the case should include a node of degree 0";
  EXPECT_EQ(L, L.transpose());
}

TEST(DenseLaplacian, DirectedGraphsGetAHint) {
  const Error error = dense_laplacian(testing::random_graph(1, {.directed = true}), "tests").error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.message, "tests need undirected graphs; symmetrise the data first");
}

}  // namespace
}  // namespace unscatter
