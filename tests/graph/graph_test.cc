#include "unscatter/graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "support/random_graph.h"

namespace unscatter {
namespace {

GraphParts triangle_with_tail() {
  GraphParts parts;
  parts.node_count = 5;  // node 4 is isolated
  parts.edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
  return parts;
}

std::string error_of(GraphParts parts) {
  const Result<Graph> graph = Graph::create(std::move(parts));
  return graph.ok() ? "" : graph.error().message;
}

TEST(Graph, RowsAreSortedDistinctAndSymmetric) {
  GraphParts parts = triangle_with_tail();
  parts.edges.push_back({1, 0});  // the other direction of an edge
  parts.edges.push_back({2, 3});  // a duplicate
  parts.edges.push_back({3, 3});  // a self-loop
  const Graph graph = Graph::create(parts).value();
  EXPECT_EQ(graph.edge_count(), 4u);
  EXPECT_EQ(graph.entry_count(), 8u);
  EXPECT_EQ(std::vector<NodeIndex>(graph.neighbours(2).begin(), graph.neighbours(2).end()),
            (std::vector<NodeIndex>{0, 1, 3}));
  EXPECT_EQ(graph.degree(4), 0u);
  EXPECT_TRUE(graph.has_edge(3, 2));
  EXPECT_FALSE(graph.has_edge(3, 3));
  EXPECT_EQ(graph, Graph::create(triangle_with_tail()).value());
}

TEST(Graph, DirectedRowsListInNeighbours) {
  GraphParts parts = triangle_with_tail();
  parts.directed = true;
  const Graph graph = Graph::create(parts).value();
  EXPECT_EQ(graph.degree(0), 1u);  // 2 -> 0
  EXPECT_EQ(graph.neighbours(0)[0], 2u);
  EXPECT_TRUE(graph.has_edge(2, 0));
  EXPECT_FALSE(graph.has_edge(0, 2));
  EXPECT_EQ(symmetrised(graph), Graph::create(triangle_with_tail()).value());
}

TEST(Graph, BadPartsAreRefusedWithTheValue) {
  EXPECT_NE(error_of({}).find("at least one node"), std::string::npos);

  GraphParts wrong_end = triangle_with_tail();
  wrong_end.edges.push_back({1, 17});
  EXPECT_NE(error_of(wrong_end).find("17"), std::string::npos);

  GraphParts ragged = triangle_with_tail();
  ragged.attribute_count = 2;
  ragged.attributes.assign(9, 0.0);
  EXPECT_NE(error_of(ragged).find("9 attribute values"), std::string::npos);

  GraphParts not_finite = triangle_with_tail();
  not_finite.attribute_count = 1;
  not_finite.attributes.assign(5, 0.0);
  not_finite.attributes[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(not_finite).find("node 3"), std::string::npos);

  GraphParts twice = triangle_with_tail();
  twice.node_ids = {"a", "b", "c", "b", "e"};
  EXPECT_NE(error_of(twice).find("'b' occurs twice"), std::string::npos);
}

TEST(Graph, CopiesOfAnEdgeAddUpInAnyOrder) {
  GraphParts parts = triangle_with_tail();
  parts.directed = true;
  parts.weights = {1, 2, 4, 8};
  parts.edges.insert(parts.edges.end(), {{0, 1}, {3, 3}, {0, 1}});
  parts.weights.insert(parts.weights.end(), {0.1, 99, 0.7});
  const Graph graph = Graph::create(parts).value();
  EXPECT_EQ(graph.weights(1)[0], 0.1 + 0.7 + 1);
  EXPECT_EQ(graph.weights(2)[0], 2);
  EXPECT_TRUE(graph.weights(4).empty());
  std::reverse(parts.edges.begin(), parts.edges.end());
  std::reverse(parts.weights.begin(), parts.weights.end());
  EXPECT_EQ(graph, Graph::create(parts).value());
  EXPECT_NE(graph, [&] {
    GraphParts plain = parts;
    plain.weights.clear();
    return Graph::create(plain).value();
  }());
}

TEST(Graph, AnUndirectedEdgeHasOneWeight) {
  GraphParts parts;
  parts.node_count = 3;
  parts.edges = {{0, 1}, {1, 2}};
  parts.weights = {2, 5};
  const Graph graph = Graph::create(parts).value();
  EXPECT_EQ(graph.weights(0)[0], 2);
  EXPECT_EQ(graph.weights(1)[0], 2);
  EXPECT_EQ(graph.weights(1)[1], 5);
  parts.edges.push_back({1, 0});
  parts.weights.push_back(2);
  EXPECT_EQ(Graph::create(parts).value(), graph);  // both directions listed, as many files do
  parts.weights.back() = 3;
  EXPECT_NE(error_of(parts).find("edge 1, 0 has the weight 3"), std::string::npos) << error_of(parts);
  EXPECT_NE(error_of(parts).find("undirected"), std::string::npos);
}

TEST(Graph, SymmetrisingAddsTheWeightsOfBothDirections) {
  GraphParts parts;
  parts.node_count = 3;
  parts.directed = true;
  parts.edges = {{0, 1}, {1, 0}, {1, 2}};
  parts.weights = {2, 5, 11};
  const Graph graph = symmetrised(Graph::create(parts).value());
  EXPECT_FALSE(graph.directed());
  EXPECT_EQ(graph.weights(0)[0], 7);
  EXPECT_EQ(graph.weights(1)[0], 7);
  EXPECT_EQ(graph.weights(1)[1], 11);
  EXPECT_EQ(graph.weights(2)[0], 11);
}

TEST(Graph, BadWeightsAreRefusedWithTheValue) {
  GraphParts parts = triangle_with_tail();
  parts.weights = {1, 2, 3};
  EXPECT_EQ(error_of(parts), "3 edge weights for 4 expected");
  parts.weights = {1, 2, std::numeric_limits<double>::infinity(), 4};
  EXPECT_NE(error_of(parts).find("weight inf"), std::string::npos) << error_of(parts);
  parts.weights = {1, 2, std::numeric_limits<double>::quiet_NaN(), 4};
  EXPECT_NE(error_of(parts).find("weight nan"), std::string::npos) << error_of(parts);
  parts.weights = {1, 2, -2e300, 4};
  EXPECT_NE(error_of(parts).find("weight -2e+300"), std::string::npos) << error_of(parts);
  // The sum of copies counts.
  parts.weights = {1, 2, 3, 9e299};
  parts.edges.push_back(parts.edges.back());
  parts.weights.push_back(9e299);
  EXPECT_NE(error_of(parts).find("weight 1.8e+300"), std::string::npos) << error_of(parts);

  GraphParts rows;
  rows.node_count = 2;
  rows.weights = {3, 3};
  EXPECT_TRUE(Graph::from_rows(rows, {0, 1, 2}, {1, 0}).ok());
  rows.weights = {3, 4};
  EXPECT_FALSE(Graph::from_rows(rows, {0, 1, 2}, {1, 0}).ok());  // not symmetric
  rows.weights = {3};
  EXPECT_FALSE(Graph::from_rows(rows, {0, 1, 2}, {1, 0}).ok());
}

TEST(Graph, FromRowsChecksWhatItIsTold) {
  GraphParts parts;
  parts.node_count = 3;
  EXPECT_TRUE(Graph::from_rows(parts, {0, 1, 2, 2}, {1, 0}).ok());
  EXPECT_FALSE(Graph::from_rows(parts, {0, 1, 2}, {1, 0}).ok());           // an offset missing
  EXPECT_FALSE(Graph::from_rows(parts, {0, 2, 1, 2}, {1, 0}).ok());        // descending offsets
  EXPECT_FALSE(Graph::from_rows(parts, {0, 1, 1, 1}, {1}).ok());           // not symmetric
  EXPECT_FALSE(Graph::from_rows(parts, {0, 1, 2, 2}, {0, 0}).ok());        // self-loop
  EXPECT_FALSE(Graph::from_rows(parts, {0, 2, 3, 4}, {2, 1, 0, 0}).ok());  // row not ascending
  EXPECT_FALSE(Graph::from_rows(parts, {0, 1, 2, 2}, {9, 0}).ok());        // no such node
  parts.directed = true;
  EXPECT_TRUE(Graph::from_rows(parts, {0, 1, 1, 1}, {1}).ok());
}

TEST(Graph, RowsAndEdgeListsAgree) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const bool directed : {false, true}) {
      const GraphParts parts = testing::random_graph_parts(seed, {.nodes = 15, .directed = directed});
      const Graph graph = Graph::create(parts).value();
      const Graph again = Graph::from_rows(parts, {graph.offsets().begin(), graph.offsets().end()},
                                           {graph.entries().begin(), graph.entries().end()})
                              .value();
      EXPECT_EQ(graph, again);
      for (const Edge& e : parts.edges) EXPECT_TRUE(graph.has_edge(e.from, e.to));
    }
  }
}

TEST(Graph, StatesMustFitWhatRemovalsLeave) {
  GraphParts parts = triangle_with_tail();
  parts.labels = {1, 2, 0, 4, 0};
  parts.states.assign(5, NodeState::kPresent);
  GraphParts unmarked = parts;
  unmarked.states.clear();
  EXPECT_EQ(Graph::create(parts).value(), Graph::create(unmarked).value());
  parts.states[2] = NodeState::kFeatureless;
  parts.states[4] = NodeState::kTombstone;
  const Graph graph = Graph::create(parts).value();
  EXPECT_EQ(graph.living_node_count(), 4u);
  EXPECT_FALSE(graph.has_features(2));

  parts.states[3] = NodeState::kFeatureless;
  EXPECT_EQ(error_of(parts), "node 3: its features are removed, but not 0");
  parts.states[3] = NodeState::kTombstone;
  parts.labels[3] = 0;
  EXPECT_EQ(error_of(parts), "node 3 is removed, but has edges");
  parts.states.pop_back();
  EXPECT_EQ(error_of(parts), "4 node states for 5 expected");
}

// The memory that the graph still owns after wiping, looked at through views from before.
TEST(Graph, WipingOverwritesWhatTheGraphHeld) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    Graph graph = testing::random_graph(seed, testing::kWeightedGraph);
    const std::span<const double> weights = graph.entry_weights();
    const std::size_t n = graph.node_count();
    const std::span<const std::uint32_t> offsets = graph.offsets();
    const std::span<const NodeIndex> entries = graph.entries();
    const std::span<const double> attributes(graph.attributes(0).data(), n * graph.attribute_count());
    const std::span<const double> positions(graph.position(0).data(), 2 * n);
    const std::string id = graph.node_id(n - 1);  // short: it lies in the list itself
    const std::string_view ids(reinterpret_cast<const char*>(&graph.node_id(0)), n * sizeof(std::string));
    ASSERT_NE(ids.find(id), std::string_view::npos);
    const auto all_zero = [](const auto& numbers) {
      return std::all_of(numbers.begin(), numbers.end(), [](auto number) { return number == 0; });
    };
    ASSERT_FALSE(all_zero(offsets) || all_zero(entries) || all_zero(attributes) || all_zero(positions) ||
                 all_zero(weights));
    graph.wipe();
    EXPECT_TRUE(all_zero(offsets) && all_zero(entries) && all_zero(attributes) && all_zero(positions));
    EXPECT_TRUE(all_zero(weights));
    EXPECT_EQ(ids.find(id), std::string_view::npos);
  }
}

TEST(Graph, AWipedGraphHasNothingAndCanBeAssignedTo) {
  Graph graph = testing::random_graph(1, testing::kRichGraph);
  const Graph copy = graph;
  graph.wipe();
  EXPECT_EQ(graph.node_count(), 0u);
  EXPECT_EQ(graph.entry_count(), 0u);
  EXPECT_EQ(graph.attribute_count(), 0u);
  EXPECT_FALSE(graph.has_labels() || graph.has_positions() || graph.has_node_ids());
  EXPECT_EQ(copy, testing::random_graph(1, testing::kRichGraph));  // a copy has memory of its own
  graph = copy;
  EXPECT_EQ(graph, copy);
}

}  // namespace
}  // namespace unscatter
