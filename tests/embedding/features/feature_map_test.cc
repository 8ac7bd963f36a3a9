#include "unscatter/embedding/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_graph.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

Dataset small_dataset() {
  Dataset dataset;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    dataset.graphs.push_back(testing::random_graph(
        seed, {.nodes = 6 + seed, .edge_probability = 0.4, .attributes = 2, .label_values = 3, .positions = true}));
    dataset.labels.push_back(0);
  }
  dataset.class_names = {"0"};
  return dataset;
}

NodeSignals signals_of(const FeatureMap& map, const Graph& graph) {
  FeatureMap::Scratch scratch;
  NodeSignals signals;
  EXPECT_TRUE(map.signals(graph, scratch, signals).ok());
  return signals;
}

// Value of `channel` at `node`, zero where the channel is not active.
double value_at(const NodeSignals& signals, std::size_t node, std::uint32_t channel) {
  for (std::size_t k = 0; k < signals.width(); ++k) {
    if (signals.channels[k] == channel) return signals.node(node)[k];
  }
  return 0;
}

TEST(FeatureMap, DescriptionsAreCompleteAndReadBack) {
  const Dataset dataset = small_dataset();
  for (const char* text :
       {"auto", "degree-onehot", "labels", "attributes", "intensity", "standard-attributes", "constant", "log-degree",
        "position", "product(intensity,position)", "labels+log-degree+product(labels,product(constant,position))"}) {
    SCOPED_TRACE(text);
    const FeatureMap fitted = FeatureMap::resolve(text, dataset).value();
    const FeatureMap again = FeatureMap::parse(fitted.describe()).value();
    EXPECT_EQ(again.describe(), fitted.describe());
    EXPECT_EQ(again.width(), fitted.width());
    for (const Graph& graph : dataset.graphs)
      EXPECT_EQ(signals_of(again, graph).values, signals_of(fitted, graph).values);
  }
}

TEST(FeatureMap, AutomaticChoiceFollowsTheData) {
  Dataset dataset = small_dataset();
  EXPECT_EQ(FeatureMap::resolve("auto", dataset)->describe(), "labels:0,1,2");
  dataset.graphs = {testing::random_graph(1, {.attributes = 2})};
  EXPECT_EQ(FeatureMap::resolve("auto", dataset)->describe(), "attributes:2");
  dataset.graphs = {testing::random_graph(1)};
  EXPECT_EQ(FeatureMap::resolve("auto", dataset)->describe().find("degree-onehot:"), 0u);
}

TEST(FeatureMap, BlocksGiveTheirValues) {
  const Graph graph = testing::random_graph(3, {.nodes = 9, .attributes = 2, .label_values = 3, .positions = true});
  const FeatureMap map =
      FeatureMap::parse("degree-onehot:3+labels:0,2+attributes:2+constant+log-degree+product(attributes:2,position)")
          .value();
  ASSERT_EQ(map.width(), 3u + 2 + 2 + 1 + 1 + 4);
  const NodeSignals s = signals_of(map, graph);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const std::size_t degree = std::min<std::size_t>(graph.degree(i), 2);  // saturates
    for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(value_at(s, i, k), k == degree ? 1.0 : 0.0);
    EXPECT_EQ(value_at(s, i, 3), graph.label(i) == 0 ? 1.0 : 0.0);
    EXPECT_EQ(value_at(s, i, 4), graph.label(i) == 2 ? 1.0 : 0.0);  // label 1 is not listed: no signal
    EXPECT_EQ(value_at(s, i, 5), graph.attributes(i)[0]);
    EXPECT_EQ(value_at(s, i, 7), 1.0);
    EXPECT_EQ(value_at(s, i, 8), std::log1p(static_cast<double>(graph.degree(i))));
    EXPECT_EQ(value_at(s, i, 9 + 2), graph.attributes(i)[1] * graph.position(i)[0]);
    EXPECT_EQ(value_at(s, i, 9 + 1), graph.attributes(i)[0] * graph.position(i)[1]);
  }
}

TEST(FeatureMap, StandardAttributesHaveMeanZeroAndVarianceOne) {
  const Dataset dataset = small_dataset();
  const FeatureMap map = FeatureMap::resolve("standard-attributes", dataset).value();
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const Graph& graph : dataset.graphs) {
    const NodeSignals s = signals_of(map, graph);
    for (std::size_t i = 0; i < graph.node_count(); ++i, ++count) {
      sum += value_at(s, i, 1);
      squares += std::pow(value_at(s, i, 1), 2);
    }
  }
  EXPECT_NEAR(sum / count, 0, 1e-12);
  EXPECT_NEAR(squares / count, 1, 1e-12);
}

// Removed features must not come back as derived ones: neither the node's own nor, through old degrees, its
// neighbours'.
TEST(FeatureMap, RemovedNodesHaveNoSignalAndLeaveNoStaleDegree) {
  const Graph graph = testing::random_graph(4, {.nodes = 10, .edge_probability = 0.5, .attributes = 1});
  const FeatureMap map = FeatureMap::parse("degree-onehot:10+constant+attributes:1").value();
  const Graph featureless = *apply(graph, RemoveFeatures{2}).value();
  const Graph tombstone = *apply(graph, RemoveNode{2, NodeRemoval::kTombstone}).value();
  for (const Graph* edited : {&featureless, &tombstone}) {
    const NodeSignals s = signals_of(map, *edited);
    for (std::uint32_t channel = 0; channel < map.width(); ++channel) EXPECT_EQ(value_at(s, 2, channel), 0.0);
  }
  const NodeSignals s = signals_of(map, tombstone);
  const NodeIndex neighbour = graph.neighbours(2)[0];
  EXPECT_EQ(value_at(s, neighbour, static_cast<std::uint32_t>(graph.degree(neighbour) - 1)), 1.0);
  EXPECT_EQ(value_at(s, neighbour, static_cast<std::uint32_t>(graph.degree(neighbour))), 0.0);
}

TEST(FeatureMap, OnlyActiveChannelsAreKept) {
  const Graph graph = testing::random_graph(4, {.nodes = 10});
  const FeatureMap map = FeatureMap::parse("degree-onehot:1000").value();
  FeatureMap::Scratch scratch;
  NodeSignals signals;
  for (int round = 0; round < 2; ++round) {  // the scratch starts clean the second time
    ASSERT_TRUE(map.signals(graph, scratch, signals).ok());
    EXPECT_LE(signals.width(), 10u);
    EXPECT_TRUE(std::is_sorted(signals.channels.begin(), signals.channels.end()));
  }
}

TEST(FeatureMap, BadDescriptionsAreNamed) {
  const auto message = [](const char* text) { return FeatureMap::parse(text).error().message; };
  EXPECT_NE(message("degre").find("unknown feature 'degre'"), std::string::npos);
  EXPECT_NE(message("degree-onehot").find("degree-onehot:136"), std::string::npos);
  EXPECT_NE(message("degree-onehot:0").find("'0'"), std::string::npos);
  EXPECT_NE(message("degree-onehot:99999999999").find("99999999999"), std::string::npos);
  EXPECT_NE(message("labels:1,x").find("'x'"), std::string::npos);
  EXPECT_NE(message("labels:2,1").find("ascend"), std::string::npos);
  EXPECT_NE(message("standard-attributes:1/0").find("'1/0'"), std::string::npos);
  EXPECT_NE(message("constant:3").find("takes no constants"), std::string::npos);
  EXPECT_NE(message("product(constant)").find("two blocks"), std::string::npos);
  EXPECT_NE(message("").find("unknown feature"), std::string::npos);
}

TEST(FeatureMap, DataThatLackAFeatureAreRefused) {
  const Graph bare = testing::random_graph(1);
  FeatureMap::Scratch scratch;
  NodeSignals signals;
  for (const char* text : {"labels:0,1", "attributes:2", "position", "product(constant,position)"}) {
    EXPECT_EQ(FeatureMap::parse(text)->signals(bare, scratch, signals).error().code, ErrorCode::kUnsupported) << text;
  }
}

}  // namespace
}  // namespace unscatter
