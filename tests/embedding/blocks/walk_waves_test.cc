#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include <numbers>

#include "part_formulas.h"
#include "public_hash.h"

namespace unscatter::walk_waves_test {
namespace {

using testing::DenseGraph;

// Powers of a dense P, and a mean over all starts.
std::vector<double> by_matrices(const Graph& graph, int steps) {
  const DenseGraph dense(graph);
  const Eigen::Index n = dense.n();
  Matrix P = Matrix::Zero(n, n);
  Matrix waves = Matrix::Zero(n, 24);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double d = dense.degree(i);
    if (d == 0) P(i, i) = 1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (dense.A(i, j) > 0) P(i, j) = 1 / d;
    }
    const double closed = dense.triangles(i) / std::max(d * (d - 1) / 2, 1.0);
    std::vector<double> angles;
    for (const double x : {std::log(1 + d), closed}) {
      for (const double t : {0.5, 1.0, 2.0, 4.0}) angles.push_back(t * x);
    }
    const std::size_t node = dense.original[static_cast<std::size_t>(i)];
    for (std::uint64_t k = 0; graph.has_labels() && graph.has_features(node) && k < 4; ++k) {
      const std::uint64_t hash = testing::hash_of({static_cast<std::uint64_t>(graph.label(node)), k});
      angles.push_back(2 * std::numbers::pi * std::ldexp(static_cast<double>(hash), -64));
    }
    for (std::size_t a = 0; a < angles.size(); ++a) {
      waves(i, static_cast<Eigen::Index>(2 * a)) = std::cos(angles[a]);
      waves(i, static_cast<Eigen::Index>(2 * a + 1)) = std::sin(angles[a]);
    }
  }
  std::vector<double> expected;
  Matrix seen = waves;
  for (int r = 0; r <= steps; ++r) {
    const Vector mean = seen.colwise().mean();
    testing::append(expected, {mean.data(), mean.data() + mean.size()}, 1 / std::sqrt(12.0 * (steps + 1)));
    seen = P * seen;
  }
  return expected;
}

TEST(WalkWaves, FollowTheirFormula) {
  for (const int steps : {3, 0, 1, 7}) {
    testing::expect_formula("walk-waves:" + std::to_string(steps),
                            [&](const Graph& graph) { return by_matrices(graph, steps); });
  }
}

// Where all nodes are alike a walk sees the same everywhere, and all points lie on their circles.
TEST(WalkWaves, HaveNormOneWhereAllNodesAreAlike) {
  GraphParts ring;
  ring.node_count = 9;
  for (NodeIndex i = 0; i < 9; ++i) ring.edges.push_back({i, (i + 1) % 9});
  ring.labels.assign(9, -5);
  GraphShape shape;
  const std::vector<double> columns =
      testing::part_columns("walk-waves", Graph::create(std::move(ring)).value(), shape);
  EXPECT_NEAR(testing::squared_norm(columns), 1, 1e-12);
  for (std::size_t c = 24; c < columns.size(); ++c) EXPECT_NEAR(columns[c], columns[c % 24], 1e-15);
}

}  // namespace
}  // namespace unscatter::walk_waves_test
