#include "unscatter/embedding/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

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
       {"auto", "paper", "degree-onehot", "labels", "attributes", "intensity", "standard-attributes", "constant",
        "log-degree", "position", "soft-degree", "soft-degree:5", "label-buckets", "label-buckets:7", "soft-attributes",
        "product(intensity,position)", "labels+log-degree+product(labels,product(constant,position))"}) {
    SCOPED_TRACE(text);
    const FeatureMap fitted = FeatureMap::resolve(text, dataset, FitSource::once()).value();
    const FeatureMap again = FeatureMap::parse(fitted.describe()).value();
    EXPECT_EQ(again.describe(), fitted.describe());
    EXPECT_EQ(again.width(), fitted.width());
    for (const Graph& graph : dataset.graphs)
      EXPECT_EQ(signals_of(again, graph).values, signals_of(fitted, graph).values);
  }
}

TEST(FeatureMap, ThePapersChoiceFollowsTheData) {
  Dataset dataset = small_dataset();
  const auto paper = [&] { return FeatureMap::resolve("paper", dataset, FitSource::once())->describe(); };
  EXPECT_EQ(paper(), "labels:0,1,2");
  dataset.graphs = {testing::random_graph(1, {.attributes = 2})};
  EXPECT_EQ(paper(), "attributes:2");
  dataset.graphs = {testing::random_graph(1)};
  EXPECT_EQ(paper().find("degree-onehot:"), 0u);
  // It is a fit, and somebody has to say so.
  EXPECT_FALSE(FeatureMap::resolve("paper", dataset).ok());
  EXPECT_FALSE(FeatureMap::resolve("paper", dataset, FitSource::private_refit()).ok());
}

// Values may be anything: the text depends on which parts graphs have, and one graph without a part changes nothing for
// the others.
TEST(FeatureMap, AutoLooksAtTheFormOfTheDataAlone) {
  const auto automatic = [](std::vector<Graph> graphs) {
    Dataset dataset;
    dataset.graphs = std::move(graphs);
    return FeatureMap::resolve("auto", dataset)->describe();
  };
  const Graph bare = testing::random_graph(1, {.nodes = 5});
  const Graph labelled = testing::random_graph(2, {.nodes = 20, .label_values = 7});
  const Graph rich =
      testing::random_graph(3, {.nodes = 30, .edge_probability = 0.9, .attributes = 2, .label_values = 3});
  EXPECT_EQ(automatic({bare}), "soft-degree:16");
  EXPECT_EQ(automatic({bare, labelled}), "soft-degree:16+label-buckets:64");
  EXPECT_EQ(automatic({bare, labelled, rich}), "soft-degree:16+label-buckets:64+soft-attributes:2");
  EXPECT_EQ(automatic({rich, bare}), automatic({rich}));
  for (std::uint64_t seed = 4; seed < 12; ++seed) {
    const Graph other = testing::random_graph(seed, {.nodes = 2 + seed, .attributes = 2, .label_values = 2 + seed});
    EXPECT_EQ(automatic({other}), automatic({rich})) << seed;
  }
}

TEST(FeatureMap, SoftBlocksGiveSharesThatSumToOne) {
  GraphParts parts = testing::random_graph_parts(5, {.nodes = 12, .edge_probability = 0.4, .attributes = 2});
  const double extremes[] = {0, 1, -1, 0.5, 81377, 1e6, -1e6, 1e200, -1e200, 1e-200, 3, 1e308};
  for (std::size_t i = 0; i < 12; ++i) parts.attributes[2 * i] = extremes[i];
  const Graph graph = Graph::create(std::move(parts)).value();
  const FeatureMap map = FeatureMap::parse("soft-degree:16+soft-attributes:2").value();
  ASSERT_EQ(map.width(), 16u + 2 * 13);
  const NodeSignals s = signals_of(map, graph);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    SCOPED_TRACE(i);
    const auto sum = [&](std::uint32_t from, std::uint32_t to) {
      double total = 0;
      for (std::uint32_t c = from; c < to; ++c) {
        EXPECT_GE(value_at(s, i, c), 0);
        total += value_at(s, i, c);
      }
      return total;
    };
    EXPECT_DOUBLE_EQ(sum(0, 16), 1);
    EXPECT_DOUBLE_EQ(sum(16, 29), 1);
    EXPECT_DOUBLE_EQ(sum(29, 42), 1);
    // The mean of the centres is the place, where it lies between the ends.
    double place = 0;
    for (std::uint32_t c = 0; c < 16; ++c) place += value_at(s, i, c) * 8.4 / 15 * c;
    EXPECT_NEAR(place, std::log1p(static_cast<double>(graph.degree(i))), 1e-12);
  }
  EXPECT_EQ(value_at(s, 7, 16 + 12), 1.0);  // 1e200 is beyond the last centre
  EXPECT_EQ(value_at(s, 8, 16 + 0), 1.0);
}

TEST(FeatureMap, LabelBucketsAreRemainders) {
  GraphParts parts = testing::random_graph_parts(5, {.nodes = 6});
  parts.labels = {0, 63, 64, -1, -64, std::numeric_limits<std::int64_t>::min()};
  const Graph graph = Graph::create(std::move(parts)).value();
  const NodeSignals s = signals_of(FeatureMap::parse("label-buckets:64").value(), graph);
  const std::uint32_t buckets[] = {0, 63, 0, 63, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(value_at(s, i, buckets[i]), 1.0) << i;
}

TEST(FeatureMap, ABlockWithoutDataGivesNoSignal) {
  const FeatureMap map = FeatureMap::parse("label-buckets:4+soft-attributes:3").value();
  EXPECT_EQ(signals_of(map, testing::random_graph(1)).width(), 0u);
  // One attribute of three: two have no signal.
  const NodeSignals one = signals_of(map, testing::random_graph(1, {.attributes = 1}));
  ASSERT_GT(one.width(), 0u);
  EXPECT_LT(one.channels.back(), 4u + 13);
}

// No constant is fitted silently, and each says where it came from.
TEST(FeatureMap, MissingConstantsNeedASource) {
  const Dataset dataset = small_dataset();
  Dataset open = small_dataset();
  open.graphs = {testing::random_graph(77, {.nodes = 9, .attributes = 2, .label_values = 2})};
  for (const char* text : {"degree-onehot", "labels", "standard-attributes", "product(labels,constant)"}) {
    SCOPED_TRACE(text);
    const Result<FeatureMap> refused = FeatureMap::resolve(text, dataset);
    ASSERT_FALSE(refused.ok());
    for (const char* way : {"state them", "--public-data", "--fit private"}) {
      EXPECT_NE(refused.error().message.find(way), std::string::npos) << refused.error().message;
    }
    const auto kind = [&](const FitSource& source) {
      return FeatureMap::resolve(text, dataset, source)->origins().front().kind;
    };
    EXPECT_EQ(kind(FitSource::once()), ConstantKind::kFittedOnce);
    EXPECT_EQ(kind(FitSource::private_refit()), ConstantKind::kPrivateFit);
    EXPECT_EQ(kind(FitSource::on_public(open)), ConstantKind::kPublicData);
    // The public data decide, and the private data do not.
    EXPECT_EQ(FeatureMap::resolve(text, dataset, FitSource::on_public(open))->describe(),
              FeatureMap::resolve(text, open, FitSource::once())->describe());
  }
  const auto origins = [&](const char* text) { return FeatureMap::resolve(text, dataset)->origins(); };
  using Origins = std::vector<ConstantOrigin>;
  EXPECT_EQ(origins("labels:0,1+log-degree+attributes"), (Origins{{"labels", ConstantKind::kStated},
                                                                  {"log-degree", ConstantKind::kBuiltIn},
                                                                  {"attributes", ConstantKind::kPrivateFit}}));
  EXPECT_EQ(origins("auto"), (Origins{{"soft-degree", ConstantKind::kBuiltIn}, {"form", ConstantKind::kPrivateFit}}));
  Dataset bare;
  bare.graphs = {testing::random_graph(1)};
  // The list goes into documents that stay.  So it must not tell which parts the data once had.
  EXPECT_EQ(FeatureMap::resolve("auto", bare)->origins(), origins("auto"));
}

TEST(FeatureMap, AMapIsRestoredWithItsKinds) {
  const Dataset dataset = small_dataset();
  for (const char* rule : {"all", "auto", "labels+log-degree", "standard-attributes+degree-onehot:9", "soft-degree"}) {
    for (const FitSource& source : {FitSource::private_refit(), FitSource::once()}) {
      SCOPED_TRACE(rule);
      const FeatureMap map = FeatureMap::resolve(rule, dataset, source).value();
      const FeatureMap again = FeatureMap::restore(map.rule(), map.source(), map.describe()).value();
      EXPECT_EQ(again.describe(), map.describe());
      EXPECT_EQ(again.origins(), map.origins());
      EXPECT_EQ(again.refits(), map.refits());
    }
  }
  EXPECT_FALSE(FeatureMap::restore("labels+constant", ConstantKind::kPrivateFit, "labels:1,2").ok());
  // A file that does not say where its constants came from.
  const FeatureMap old = FeatureMap::restore("", ConstantKind::kFittedOnce, "labels:1,2+constant").value();
  for (const ConstantOrigin& origin : old.origins()) EXPECT_EQ(origin.kind, ConstantKind::kFittedOnce);
  EXPECT_FALSE(old.refits());
}

// "update equals a fresh run" for constants, and the quick answers never miss a change.
TEST(FeatureMap, ARefitEqualsAFitOnWhatIsLeft) {
  int changes = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Dataset dataset;
    for (std::uint64_t g = 0; g < 5; ++g) {
      const bool has_all = g < 4 || seed % 3 == 0;
      dataset.graphs.push_back(testing::random_graph(
          100 * seed + g,
          {.nodes = 4, .edge_probability = 0.4, .attributes = 1 + (has_all ? 1u : 0u), .label_values = 4}));
    }
    const bool mixed = seed % 3 != 0;  // the fifth graph has one attribute less
    for (const char* rule :
         {"all", "auto", "labels", "degree-onehot", "soft-attributes+labels", "standard-attributes"}) {
      SCOPED_TRACE(rule);
      if (mixed && std::string_view(rule) == "standard-attributes") continue;
      const FeatureMap map = FeatureMap::resolve(rule, dataset, FitSource::private_refit()).value();
      const std::size_t touched = seed % 5;
      const Graph& before = dataset.graphs[touched];
      Dataset left = dataset;
      if (seed % 2 == 0) {
        left.graphs.erase(left.graphs.begin() + static_cast<std::ptrdiff_t>(touched));
      } else {
        left.graphs[touched] = *apply(before, RemoveNode{0}).value();
      }
      const FeatureMap fresh = FeatureMap::resolve(rule, left, FitSource::private_refit()).value();
      std::vector<const Graph*> graphs;
      for (const Graph& graph : left.graphs) graphs.push_back(&graph);
      EXPECT_EQ(map.refit(graphs)->describe(), fresh.describe());
      const bool changed = fresh.describe() != map.describe();
      changes += changed ? 1 : 0;
      const Graph* after = seed % 2 == 0 ? nullptr : &left.graphs[touched];
      EXPECT_TRUE(!changed || map.fit_may_change(before, after));
      for (std::size_t g = 0; changed && g < dataset.graphs.size(); ++g) {
        if (g == touched) continue;
        EXPECT_FALSE(map.fit_shown_by(dataset.graphs[g])) << g;
      }
    }
  }
  EXPECT_GT(changes, 20);  // or nothing was tested
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
  const FeatureMap map = FeatureMap::resolve("standard-attributes", dataset, FitSource::once()).value();
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
