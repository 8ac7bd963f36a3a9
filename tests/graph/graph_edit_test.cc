#include "unscatter/graph/graph_edit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_graph.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {
namespace {

Graph edited(const Graph& graph, const GraphEdit& edit) {
  Result<std::optional<Graph>> result = apply(graph, edit);
  return *std::move(result).value();
}

// The property everything rests on: nothing tells the edited graph from one that never had the node.
TEST(GraphEdit, CompactRemovalEqualsTheGraphBuiltWithoutTheNode) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const int kind : {0, 1, 2, 3}) {
      testing::RandomGraphOptions options = testing::kRichGraph;
      options.directed = kind % 2 == 1;
      options.weights = kind >= 2;
      const GraphParts parts = testing::random_graph_parts(seed, options);
      const auto node = static_cast<NodeIndex>(seed % parts.node_count);
      const Graph without = Graph::create(testing::parts_without_node(parts, node)).value();
      EXPECT_EQ(edited(Graph::create(parts).value(), RemoveNode{node}), without);
    }
  }
}

TEST(GraphEdit, CompactRemovalOfAFeaturelessNodeLeavesNoMark) {
  const GraphParts parts = testing::random_graph_parts(4, testing::kRichGraph);
  const Graph graph = edited(edited(Graph::create(parts).value(), RemoveFeatures{5}), RemoveNode{5});
  EXPECT_EQ(graph, Graph::create(testing::parts_without_node(parts, 5)).value());
}

TEST(GraphEdit, TombstoneKeepsThePlaceAndNothingElse) {
  const Graph graph = testing::random_graph(2, testing::kRichGraph);
  const Graph after = edited(graph, RemoveNode{3, NodeRemoval::kTombstone});
  EXPECT_EQ(after.node_count(), graph.node_count());
  EXPECT_EQ(after.living_node_count(), graph.node_count() - 1);
  EXPECT_EQ(after.degree(3), 0u);
  EXPECT_EQ(after.state(3), NodeState::kTombstone);
  EXPECT_NE(after.node_id(3), graph.node_id(3));
  for (const double value : after.attributes(3)) EXPECT_EQ(value, 0);
  EXPECT_EQ(after.position(3)[0], 0);
  for (std::size_t i = 0; i < after.node_count(); ++i) EXPECT_FALSE(after.has_edge(i, 3));
}

TEST(GraphEdit, FeatureRemovalKeepsEdgesAndId) {
  const Graph graph = testing::random_graph(2, testing::kRichGraph);
  const Graph after = edited(graph, RemoveFeatures{3});
  EXPECT_EQ(after.entry_count(), graph.entry_count());
  EXPECT_EQ(after.node_id(3), graph.node_id(3));
  EXPECT_FALSE(after.has_features(3));
  for (const double value : after.attributes(3)) EXPECT_EQ(value, 0);
}

TEST(GraphEdit, EdgeRemovalTakesBothDirectionsOfAnUndirectedEdge) {
  const Graph graph = testing::random_graph(6, testing::kRichGraph);
  const NodeIndex other = graph.neighbours(0)[0];
  const Graph after = edited(graph, RemoveEdge{0, other});
  EXPECT_EQ(after.edge_count(), graph.edge_count() - 1);
  EXPECT_FALSE(after.has_edge(0, other) || after.has_edge(other, 0));

  GraphParts pair;
  pair.node_count = 2;
  pair.directed = true;
  pair.edges = {{0, 1}, {1, 0}};
  const Graph one_way = edited(Graph::create(pair).value(), RemoveEdge{0, 1});
  EXPECT_FALSE(one_way.has_edge(0, 1));
  EXPECT_TRUE(one_way.has_edge(1, 0));
}

// The weights that are left are those of the edges that are left, and no others are held.
TEST(GraphEdit, EveryEditKeepsTheWeightsOfWhatIsLeft) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomGraphOptions options = testing::kWeightedGraph;
    options.directed = seed % 2 == 1;
    const GraphParts parts = testing::random_graph_parts(seed, options);
    const Graph graph = Graph::create(parts).value();
    ASSERT_TRUE(graph.has_weights());
    EXPECT_EQ(edited(graph, RemoveFeatures{3}).entry_weights().size(), graph.entry_count());

    GraphParts without_edge = parts;
    without_edge.edges.erase(without_edge.edges.begin() + 2);
    without_edge.weights.erase(without_edge.weights.begin() + 2);
    EXPECT_EQ(edited(graph, RemoveEdge{parts.edges[2].from, parts.edges[2].to}), Graph::create(without_edge).value());

    const Graph tombstone = edited(graph, RemoveNode{3, NodeRemoval::kTombstone});
    const Graph compact = edited(graph, RemoveNode{3});
    EXPECT_TRUE(std::equal(tombstone.entry_weights().begin(), tombstone.entry_weights().end(),
                           compact.entry_weights().begin(), compact.entry_weights().end()));
  }
}

TEST(GraphEdit, TheLastLivingNodeTakesTheGraphAlong) {
  GraphParts pair;
  pair.node_count = 2;
  pair.edges = {{0, 1}};
  const Graph graph = Graph::create(pair).value();
  const Graph tombstoned = edited(graph, RemoveNode{0, NodeRemoval::kTombstone});
  EXPECT_FALSE(apply(tombstoned, RemoveNode{1, NodeRemoval::kTombstone}).value().has_value());
  EXPECT_FALSE(apply(edited(graph, RemoveNode{0}), RemoveNode{0}).value().has_value());
  EXPECT_FALSE(apply(graph, RemoveGraph{}).value().has_value());
}

TEST(GraphEdit, BadRequestsHaveAReason) {
  const Graph graph = testing::random_graph(2, testing::kRichGraph);
  EXPECT_EQ(apply(graph, RemoveNode{99}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(apply(graph, RemoveEdge{0, 0}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(apply(graph, RemoveEdge{0, 99}).error().code, ErrorCode::kNotFound);
  const Graph tombstoned = edited(graph, RemoveNode{3, NodeRemoval::kTombstone});
  EXPECT_EQ(apply(tombstoned, RemoveNode{3}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(apply(tombstoned, RemoveFeatures{3}).error().code, ErrorCode::kInvalidArgument);
  const Graph featureless = edited(graph, RemoveFeatures{3});
  EXPECT_EQ(apply(featureless, RemoveFeatures{3}).error().code, ErrorCode::kInvalidArgument);
}

// A corrected graph cannot be told from one that was right from the beginning.
TEST(GraphCorrection, EqualsTheGraphBuiltThatWay) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomGraphOptions options = testing::kRichGraph;
    options.directed = seed % 2 == 1;
    options.weights = seed % 4 >= 2;
    GraphParts parts = testing::random_graph_parts(seed, options);
    const Graph graph = Graph::create(parts).value();
    const auto node = static_cast<NodeIndex>(seed % parts.node_count);
    std::vector<double> values(parts.attribute_count, 0.25);
    const Graph features = correct(graph, ReplaceFeatures{node, values, 77}).value();
    GraphParts right = parts;
    std::copy(values.begin(), values.end(),
              right.attributes.begin() + static_cast<std::ptrdiff_t>(node * parts.attribute_count));
    right.labels[node] = 77;
    EXPECT_EQ(features, Graph::create(right).value());

    for (NodeIndex other = 0; other < parts.node_count; ++other) {
      if (other == node || graph.has_edge(node, other)) continue;
      GraphParts more = parts;
      more.edges.push_back({node, other});
      std::optional<double> weight;
      if (options.weights) {
        weight = 1.5;
        more.weights.push_back(1.5);
      }
      const Graph longer = correct(graph, InsertEdge{node, other, weight}).value();
      EXPECT_EQ(longer, Graph::create(more).value());
      EXPECT_EQ(edited(longer, RemoveEdge{node, other}), graph);
      break;
    }
  }
}

TEST(GraphCorrection, AWeightGivesAWeightToAllEdges) {
  GraphParts parts;
  parts.node_count = 3;
  parts.edges = {{0, 1}};
  const Graph graph = Graph::create(parts).value();
  EXPECT_FALSE(correct(graph, InsertEdge{1, 2, 1.0}).value().has_weights());
  const Graph weighted = correct(graph, InsertEdge{1, 2, 2.0}).value();
  parts.edges.push_back({1, 2});
  parts.weights = {1, 2};
  EXPECT_EQ(weighted, Graph::create(parts).value());
}

TEST(GraphCorrection, ANodeWithoutFeaturesNeedsAllOfThem) {
  GraphParts parts;
  parts.node_count = 2;
  parts.edges = {{0, 1}};
  parts.attribute_count = 1;
  parts.attributes = {1, 2};
  parts.labels = {3, 4};
  const Graph graph = Graph::create(parts).value();
  const Graph featureless = edited(graph, RemoveFeatures{1});
  EXPECT_FALSE(correct(featureless, ReplaceFeatures{1, std::vector<double>{2}, {}}).ok());
  EXPECT_FALSE(correct(featureless, ReplaceFeatures{1, {}, 4}).ok());
  EXPECT_EQ(correct(featureless, ReplaceFeatures{1, std::vector<double>{2}, 4}).value(), graph);
  const Graph tombstone = edited(graph, RemoveNode{1, NodeRemoval::kTombstone});
  EXPECT_FALSE(correct(tombstone, ReplaceFeatures{1, std::vector<double>{2}, 4}).ok());
  EXPECT_FALSE(correct(tombstone, InsertEdge{0, 1, {}}).ok());
}

}  // namespace
}  // namespace unscatter
