#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include "part_formulas.h"

namespace unscatter::profile_test {
namespace {

using testing::DenseGraph;

std::vector<double> by_definition(const Graph& graph, std::size_t centres) {
  const DenseGraph dense(graph);
  std::vector<std::vector<double>> h(6, std::vector<double>(centres, 0.0));
  for (Eigen::Index i = 0; i < dense.n(); ++i) {
    std::vector<double> around;
    for (Eigen::Index j = 0; j < dense.n(); ++j) {
      if (dense.A(i, j) > 0) around.push_back(dense.degree(j));
    }
    if (around.empty()) around = {0};
    const auto count = static_cast<double>(around.size());
    const double mean = std::accumulate(around.begin(), around.end(), 0.0) / count;
    double variance = 0;
    for (const double degree : around) variance += (degree - mean) * (degree - mean) / count;
    const double d = dense.degree(i);
    std::size_t q = 0;
    for (const double value : {d, *std::min_element(around.begin(), around.end()),
                               *std::max_element(around.begin(), around.end()), mean, std::sqrt(variance)}) {
      testing::add(h[q++], testing::soft(std::log(1 + value), 0, 8.4, centres));
    }
    const double score = d < mean ? -std::log(1 + mean - d) : std::log(1 + d - mean);
    testing::add(h[q], testing::soft(score, -8.4, 8.4, centres));
  }
  std::vector<double> expected;
  for (const std::vector<double>& one : h) testing::append(expected, testing::hel(one), 1 / std::sqrt(6.0));
  return expected;
}

TEST(Profile, FollowsItsFormula) {
  for (const std::size_t centres : {17u, 2u, 8u}) {
    testing::expect_formula(
        "profile:" + std::to_string(centres), [&](const Graph& graph) { return by_definition(graph, centres); }, 1e-6);
  }
}

// Every node has a degree, so the norm is 1 without any edge too.
TEST(Profile, HasNormOneAlways) {
  GraphShape shape;
  for (const Graph& graph : testing::graphs_of_all_kinds()) {
    EXPECT_NEAR(testing::squared_norm(testing::part_columns("profile", graph, shape)), 1, 1e-12);
  }
}

}  // namespace
}  // namespace unscatter::profile_test
