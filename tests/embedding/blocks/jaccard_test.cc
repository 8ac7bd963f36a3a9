#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include "part_formulas.h"

namespace unscatter::jaccard_test {
namespace {

using testing::DenseGraph;

std::vector<double> by_matrices(const Graph& graph, std::size_t centres) {
  const DenseGraph dense(graph);
  const Matrix common = dense.A * dense.A;
  std::vector<double> h(centres, 0.0);
  for (Eigen::Index i = 0; i < dense.n(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (dense.A(i, j) == 0) continue;
      const double all = dense.degree(i) + dense.degree(j) - common(i, j) - 2;
      testing::add(h, testing::soft(common(i, j) / std::max(all, 1.0), 0, 1, centres));
    }
  }
  return testing::hel(h);
}

TEST(Jaccard, FollowsItsFormula) {
  for (const std::size_t centres : {20u, 2u, 7u}) {
    testing::expect_formula(
        "jaccard:" + std::to_string(centres), [&](const Graph& graph) { return by_matrices(graph, centres); }, 1e-6);
  }
}

// In a clique the ends of every edge know the same nodes; on a path they know none in common.
TEST(Jaccard, IsOneInACliqueAndZeroOnAPath) {
  GraphParts clique;
  GraphParts path;
  clique.node_count = path.node_count = 6;
  for (NodeIndex i = 0; i < 6; ++i) {
    for (NodeIndex j = 0; j < i; ++j) clique.edges.push_back({i, j});
    if (i > 0) path.edges.push_back({i - 1, i});
  }
  GraphShape shape;
  EXPECT_EQ(testing::part_columns("jaccard:3", Graph::create(std::move(clique)).value(), shape),
            (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(testing::part_columns("jaccard:3", Graph::create(std::move(path)).value(), shape),
            (std::vector<double>{1, 0, 0}));
}

}  // namespace
}  // namespace unscatter::jaccard_test
