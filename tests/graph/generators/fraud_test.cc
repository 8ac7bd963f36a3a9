#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

Dataset fraud(FraudOptions options) {
  options.graphs = options.graphs == FraudOptions{}.graphs ? 300 : options.graphs;
  return generate_fraud(options).value();
}

TEST(Fraud, TheSameOptionsGiveTheSameData) {
  EXPECT_EQ(content_digest(fraud({.seed = 3})), content_digest(fraud({.seed = 3})));
  EXPECT_NE(content_digest(fraud({.seed = 3})), content_digest(fraud({.seed = 4})));
}

TEST(Fraud, CasesHaveWhatTheHeaderSays) {
  const Dataset data = fraud({});
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"mule", "normal", "ring"}));
  EXPECT_EQ(summarise(data).class_counts, (std::vector<std::size_t>{75, 150, 75}));
  std::map<std::string, std::size_t> cases_of_account;
  std::map<std::string, double> opened;
  for (const Graph& graph : data.graphs) {
    EXPECT_TRUE(graph.directed());
    ASSERT_EQ(graph.attribute_count(), 4u);
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      const auto values = graph.attributes(i);
      EXPECT_TRUE(values[0] >= 0 && values[0] <= 1e6);
      EXPECT_TRUE(values[1] >= 18 && values[1] <= 90);
      EXPECT_TRUE(values[2] == 0 || values[2] == 1);
      EXPECT_TRUE(values[3] >= 1.2e9 && values[3] <= 1.7e9);
      ++cases_of_account[graph.node_id(i)];
      // An account is the same in all of its cases.
      EXPECT_EQ(opened.try_emplace(graph.node_id(i), values[3]).first->second, values[3]);
    }
  }
  EXPECT_TRUE(std::any_of(cases_of_account.begin(), cases_of_account.end(),
                          [](const auto& entry) { return entry.second >= 10; }));
}

TEST(Fraud, OptionsVaryOneThingAtATime) {
  const auto count = [](const Dataset& data, const std::function<bool(const Graph&)>& has) {
    return std::count_if(data.graphs.begin(), data.graphs.end(), has);
  };
  const auto directed = [](const Graph& graph) { return graph.directed(); };
  EXPECT_EQ(count(fraud({.edges = FraudEdges::kUndirected}), directed), 0);
  const auto mixed = count(fraud({.edges = FraudEdges::kMixed}), directed);
  EXPECT_TRUE(mixed > 100 && mixed < 200) << mixed;
  const auto bare = count(fraud({.without_attributes = 0.3}), [](const Graph& g) { return g.attribute_count() == 0; });
  EXPECT_TRUE(bare > 50 && bare < 130) << bare;
  EXPECT_EQ(count(fraud({.attributes = false}), [](const Graph& g) { return g.attribute_count() > 0; }), 0);
  EXPECT_EQ(summarise(fraud({.fraud_share = 0.1})).class_counts[1], 270u);
  // Of 1,200 classes nearly all occur.
  EXPECT_GT(fraud({.graphs = 3000, .branches = 400}).class_names.size(), 1000u);
  for (const FraudEdges edges : {FraudEdges::kDirected, FraudEdges::kUndirected}) {
    const Dataset weighted = fraud({.edges = edges, .weights = true});
    // What an account paid and received is the sum of its edges, up to the cap and to cents.
    const Graph& graph = weighted.graphs.front();
    std::vector<double> sums(graph.node_count(), 0.0);
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      for (std::size_t k = 0; k < graph.degree(i); ++k) {
        sums[i] += graph.weights(i)[k];
        if (graph.directed()) sums[graph.neighbours(i)[k]] += graph.weights(i)[k];
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(graph.attributes(i)[0], std::min(sums[i], 1e6), 0.02);
  }
}

TEST(Fraud, WrongOptionsAreRefused) {
  for (const FraudOptions& options :
       {FraudOptions{.graphs = 0}, FraudOptions{.accounts = 10}, FraudOptions{.min_size = 3},
        FraudOptions{.fraud_share = 1.5}, FraudOptions{.hidden = -1}, FraudOptions{.without_attributes = 2},
        FraudOptions{.scale = 1e308}, FraudOptions{.branches = 0}}) {
    EXPECT_FALSE(generate_fraud(options).ok());
  }
}

}  // namespace
}  // namespace unscatter
