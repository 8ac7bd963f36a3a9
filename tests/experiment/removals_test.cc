#include "experiment/removals.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <set>
#include <functional>

#include "unscatter/graph/generate.h"

namespace unscatter::experiment {
namespace {

Dataset removal_groups() { return generate_interest_groups({.groups = 40, .users = 100, .min_size = 4, .max_size = 8}).value(); }

TEST(Removals, OnePerGraphAndTheSameForTheSameSeed) {
  const Dataset groups = removal_groups();
  const auto requests = random_removals(groups, RemovalKind::kNode, 25, 5);
  ASSERT_EQ(requests.size(), 25u);
  std::set<std::size_t> graphs;
  for (const RemovalRequest& request : requests) {
    const auto& node = std::get<ForgetNode>(request);
    const auto g = std::get<std::size_t>(node.graph);
    EXPECT_TRUE(graphs.insert(g).second) << g;
    EXPECT_LT(std::get<std::size_t>(node.node), groups.graphs.at(g).node_count());
  }
  const auto again = random_removals(groups, RemovalKind::kNode, 25, 5);
  const auto other = random_removals(groups, RemovalKind::kNode, 25, 6);
  const auto words = [](const std::vector<RemovalRequest>& list) {
    std::string text;
    for (const RemovalRequest& request : list) text += describe(request);
    return text;
  };
  EXPECT_EQ(words(requests), words(again));
  EXPECT_NE(words(requests), words(other));
}

TEST(Removals, EdgesAreThereToBeRemoved) {
  const Dataset groups = removal_groups();
  for (const RemovalRequest& request : random_removals(groups, RemovalKind::kEdge, 40, 1)) {
    const auto& edge = std::get<ForgetEdge>(request);
    const Graph& graph = groups.graphs.at(std::get<std::size_t>(edge.graph));
    EXPECT_TRUE(graph.has_edge(std::get<std::size_t>(edge.from), std::get<std::size_t>(edge.to)));
  }
}

TEST(Removals, PlacesAreSpreadAndEndAtTheEnd) {
  EXPECT_EQ(sampled_places(3, 20), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(sampled_places(550, 5), (std::vector<std::size_t>{110, 220, 330, 440, 550}));
  EXPECT_TRUE(sampled_places(0, 5).empty());
  for (const std::size_t count : {7u, 21u, 101u}) {
    const auto places = sampled_places(count, 20);
    EXPECT_LE(places.size(), 20u);
    EXPECT_EQ(places.back(), count);
    EXPECT_GE(places.front(), 1u);
    EXPECT_TRUE(std::adjacent_find(places.begin(), places.end(), std::greater_equal<>()) == places.end()) << count;
  }
}

}  // namespace
}  // namespace unscatter::experiment
