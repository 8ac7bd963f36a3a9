#include "embedding/transforms/pagerank.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <utility>

#include "embedding/attribute_signals.h"
#include "support/random_graph.h"

namespace unscatter {
namespace {

// (1 - a)/g (I - a M)^-1 1
Vector dense_pagerank(const Graph& graph, double damping) {
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  Matrix M = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (const NodeIndex j : graph.neighbours(static_cast<std::size_t>(i))) M(i, j) = 1;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    const double out = M.col(j).sum();
    if (out > 0) {
      M.col(j) /= out;
    } else {
      M.col(j).setConstant(1.0 / static_cast<double>(n));
    }
  }
  const Matrix system = Matrix::Identity(n, n) - damping * M;
  return system.partialPivLu().solve(Vector::Constant(n, (1 - damping) / static_cast<double>(n)));
}

TEST(PageRank, SolvesTheLinearSystem) {
  for (const bool directed : {false, true}) {
    bool dangling = false;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const double probability = 0.02 + 0.04 * static_cast<double>(seed % 6);
      const Graph graph =
          testing::random_graph(seed, {.nodes = 1 + seed % 17, .edge_probability = probability, .directed = directed});
      std::vector<bool> points(graph.node_count(), false);
      for (const NodeIndex j : graph.entries()) points[j] = true;
      for (const bool p : points) dangling = dangling || !p;
      for (const double damping : {0.0, 0.5, 0.85, 0.95}) {
        const Vector p = pagerank(graph, {.damping = damping}).value();
        EXPECT_LE((p - dense_pagerank(graph, damping)).lpNorm<1>(), 1.1e-12);
        EXPECT_GE(p.minCoeff(), 0.0);
        EXPECT_NEAR(p.sum(), 1.0, 1e-14);
      }
    }
    EXPECT_TRUE(dangling) << "the cases should include nodes without outgoing edges";
  }
}

// In a directed pair 0 -> 1 the target ranks higher: row 1 lists 0, and 0 is the one with an outgoing edge.
TEST(PageRank, RankFlowsAlongEdges) {
  GraphParts parts;
  parts.node_count = 2;
  parts.directed = true;
  parts.edges = {{0, 1}};
  const Graph graph = Graph::create(std::move(parts)).value();
  const Vector p = pagerank(graph).value();
  EXPECT_GT(p(1), p(0));
}

TEST(PageRank, EmbedsWeightedMoments) {
  const auto transform = make_pagerank({.moments = 3}).value();
  EXPECT_EQ(transform->width(2), 6u);
  const Graph graph = testing::random_graph(6, {.nodes = 12, .directed = true, .attributes = 2});
  const NodeSignals signals = testing::attribute_signals(graph);
  const RowMatrix x = testing::as_matrix(signals);
  const Vector z = testing::embed_all(*transform, graph, signals);
  const Vector p = dense_pagerank(graph, 0.85);
  for (Eigen::Index k = 0; k < 2; ++k) {
    for (int q = 1; q <= 3; ++q) {
      EXPECT_NEAR(z(k * 3 + q - 1), (p.array() * x.col(k).array().pow(q)).sum(), 1e-11);
    }
  }
}

TEST(PageRank, SaysWhenItDoesNotConverge) {
  const Graph graph = testing::random_graph(3, {.nodes = 20, .edge_probability = 0.05});
  const Error error = pagerank(graph, {.damping = 0.99, .max_iterations = 5}).error();
  EXPECT_EQ(error.code, ErrorCode::kNotConverged);
  EXPECT_NE(error.message.find("after 5 iterations"), std::string::npos) << error.message;
}

TEST(PageRank, RefusesOptionsOutsideTheirRanges) {
  for (const double damping : {-0.1, 1.0, std::nan("")}) {
    EXPECT_EQ(make_pagerank({.damping = damping}).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(make_pagerank({.tolerance = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(make_pagerank({.moments = 0}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
