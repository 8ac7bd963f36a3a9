#include "graph/weighted_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "support/random_graph.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

// A list with copies and loops, against a map that adds up.  Weights are whole numbers, so that every sum is exact.
TEST(WeightedRows, EqualAMapThatAddsUp) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const std::size_t n = 2 + seed % 9;
    std::vector<Edge> edges;
    std::vector<double> weights;
    std::map<std::pair<NodeIndex, NodeIndex>, double> sums;
    std::size_t loops = 0;
    for (int k = 0; k < 60; ++k) {
      const Edge edge{static_cast<NodeIndex>(random.below(n)), static_cast<NodeIndex>(random.below(n))};
      edges.push_back(edge);
      weights.push_back(static_cast<double>(random.below(100)) - 30);
      if (edge.from == edge.to) {
        ++loops;
      } else {
        sums[{edge.to, edge.from}] += weights.back();
      }
    }
    const WeightedRows rows = weighted_rows(n, true, edges, weights).value();
    EXPECT_EQ(rows.self_loops, loops);
    EXPECT_EQ(rows.duplicate_edges, 60 - loops - sums.size());
    ASSERT_EQ(rows.neighbours.size(), sums.size());
    auto next = sums.begin();
    for (NodeIndex i = 0; i < n; ++i) {
      for (std::uint32_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k, ++next) {
        EXPECT_EQ(std::pair(i, rows.neighbours[k]), next->first);
        EXPECT_EQ(rows.weights[k], next->second);
      }
    }
  }
}

TEST(WeightedRows, SymmetricSumsAddTheTransposedMatrix) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph =
        testing::random_graph(seed, {.nodes = 9, .edge_probability = 0.4, .directed = true, .weights = true});
    std::map<std::pair<NodeIndex, NodeIndex>, double> sums;
    for (NodeIndex i = 0; i < graph.node_count(); ++i) {
      for (std::size_t k = 0; k < graph.degree(i); ++k) {
        sums[{i, graph.neighbours(i)[k]}] += graph.weights(i)[k];
        sums[{graph.neighbours(i)[k], i}] += graph.weights(i)[k];
      }
    }
    const WeightedRows rows = symmetric_sums(graph);
    ASSERT_EQ(rows.neighbours.size(), sums.size());
    auto next = sums.begin();
    for (NodeIndex i = 0; i < graph.node_count(); ++i) {
      for (std::uint32_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k, ++next) {
        EXPECT_EQ(std::pair(i, rows.neighbours[k]), next->first);
        EXPECT_EQ(rows.weights[k], next->second);
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
