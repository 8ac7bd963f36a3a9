// The estimate that helps to choose a level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "unlearn/random_session.h"
#include "unscatter/learn/predict.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

TEST(LevelCosts, AreThoseOfSessionsThatWouldBeMadeThatWay) {
  testing::RandomData data = testing::random_data(41, {.graphs = 60, .classes = 3, .attributes = 2});
  // The size of a graph is its class, so that there is something to learn.
  for (std::size_t i = 0; i < data.dataset.size(); ++i) {
    data.dataset.labels[i] = static_cast<std::uint32_t>(data.dataset.graphs[i].node_count() % 3);
  }
  const Session session = Session::create(data.dataset, data.embedder, {}).value();
  const Dataset fresh = testing::random_data(42, {.graphs = 200, .classes = 3, .attributes = 2}).dataset;
  std::vector<std::uint32_t> labels;
  for (const Graph& graph : fresh.graphs) labels.push_back(static_cast<std::uint32_t>(graph.node_count() % 3));
  const SparseBlockRows rows = data.embedder->embed(fresh).value();
  const std::vector<LevelCost> costs = session.level_costs(rows, labels, 2).value();
  ASSERT_GE(costs.size(), 5u);
  // Little noise: as good as the kept weights.
  EXPECT_EQ(costs[0].protection, Protection::kRemoved);
  EXPECT_NEAR(costs[0].accuracy, accuracy(rows, labels, session.weights()), 0.01);
  for (std::size_t i = 1; i < costs.size(); ++i) {
    EXPECT_EQ(costs[i].protection, Protection::kEveryone);
    // What a session at that level says of itself.
    SessionOptions options;
    options.protection = Protection::kEveryone;
    options.classes = ConstantKind::kStated;
    options.per_subject = 2;
    options.releases = 1;
    options.ridge = costs[i].ridge;
    const Session everyone = Session::create(data.dataset, data.embedder, options).value();
    EXPECT_EQ(everyone.options().noise_stddev, costs[i].noise_stddev);
    // Sixty graphs cannot afford it: hardly better than a guess among three.
    EXPECT_LT(costs[i].accuracy, 0.5);
  }
  EXPECT_EQ(session.level_costs(rows, labels, 2).value()[1].accuracy, costs[1].accuracy);
}

}  // namespace
}  // namespace unscatter
