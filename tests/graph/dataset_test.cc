#include "unscatter/graph/dataset.h"

#include <gtest/gtest.h>

#include "support/random_graph.h"

namespace unscatter {
namespace {

TEST(IndexClasses, NumbersByValueThenText) {
  const ClassIndex index = index_classes({"10", "-1", "club", "9", "-1"});
  EXPECT_EQ(index.class_names, (std::vector<std::string>{"-1", "9", "10", "club"}));
  EXPECT_EQ(index.labels, (std::vector<std::uint32_t>{2, 0, 3, 1, 0}));
}

// "nan" reads as a number, but numbers must have an order.
TEST(IndexClasses, NanIsText) {
  const ClassIndex index = index_classes({"-NAN", "-inf", "-1", "nan", "-NAN"});
  EXPECT_EQ(index.class_names, (std::vector<std::string>{"-inf", "-1", "-NAN", "nan"}));
  EXPECT_EQ(index.labels, (std::vector<std::uint32_t>{2, 0, 1, 3, 2}));
}

Dataset example() {
  Dataset dataset;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    dataset.graphs.push_back(testing::random_graph(seed, {.nodes = 4 + seed, .attributes = 1, .node_ids = true}));
    dataset.labels.push_back(seed == 2 ? 1 : 0);
  }
  dataset.class_names = {"a", "b"};
  return dataset;
}

TEST(Summarise, CountsWhatIsThere) {
  const Dataset dataset = example();
  const DatasetSummary summary = summarise(dataset);
  EXPECT_EQ(summary.graphs, 3u);
  EXPECT_EQ(summary.class_counts, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(summary.nodes, 5u + 6u + 7u);
  EXPECT_EQ(summary.min_nodes, 5u);
  EXPECT_EQ(summary.max_nodes, 7u);
  EXPECT_EQ(summary.distinct_node_ids, 7u);
  EXPECT_EQ(summary.attributes, 1u);
}

TEST(ContentDigest, ChangesWithAnyContentAndNotWithTheName) {
  const Dataset dataset = example();
  Dataset renamed = example();
  renamed.name = "other";
  EXPECT_EQ(content_digest(dataset), content_digest(renamed));

  Dataset relabelled = example();
  relabelled.labels[0] = 1;
  EXPECT_NE(content_digest(dataset), content_digest(relabelled));

  Dataset edited = example();
  edited.graphs[1] = testing::random_graph(2, {.nodes = 6, .attributes = 1});  // without ids
  EXPECT_NE(content_digest(dataset), content_digest(edited));
}

// Node 0 of the directed path has no in-neighbour, and it is not isolated.  Node 3 is.
TEST(Summarise, ANodeWithAnEdgeInEitherDirectionIsNotIsolated) {
  GraphParts path;
  path.node_count = 4;
  path.edges = {{0, 1}, {1, 2}};
  Dataset dataset;
  dataset.class_names = {"a"};
  for (const bool directed : {true, false}) {
    path.directed = directed;
    dataset.graphs.push_back(Graph::create(path).value());
    dataset.labels.push_back(0);
    const DatasetSummary summary = summarise(dataset);
    EXPECT_EQ(summary.isolated_nodes, dataset.size());
    EXPECT_EQ(summary.edges, 2 * dataset.size());
    EXPECT_EQ(summary.max_degree, directed ? 1u : 2u);
  }
}

// Every weight counts, and weights of 1 are not the same as none: copies of a weighted edge add up.
TEST(ContentDigest, CoversWeights) {
  GraphParts parts = testing::random_graph_parts(3, testing::kWeightedGraph);
  const Digest digest = content_digest(Graph::create(parts).value());
  for (std::size_t k = 0; k < parts.weights.size(); ++k) {
    GraphParts other = parts;
    other.weights[k] += 1;
    EXPECT_NE(content_digest(Graph::create(other).value()), digest);
  }
  parts.weights.assign(parts.edges.size(), 1.0);
  const Digest ones = content_digest(Graph::create(parts).value());
  parts.weights.clear();
  EXPECT_NE(content_digest(Graph::create(parts).value()), ones);
}

TEST(StateClasses, PutsLabelsInTheGivenOrder) {
  Dataset dataset;
  dataset.class_names = {"a", "b", "c"};
  dataset.labels = {2, 0, 2};
  ASSERT_TRUE(state_classes(dataset, {"c", "new", "a"}).ok());
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"c", "new", "a"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::uint32_t>{0, 2, 0}));
  // Refused, and nothing changes.
  EXPECT_NE(state_classes(dataset, {"c", "b"}).error().message.find("'a'"), std::string::npos);
  EXPECT_NE(state_classes(dataset, {"c", "a", "c"}).error().message.find("twice"), std::string::npos);
  EXPECT_EQ(dataset.labels, (std::vector<std::uint32_t>{0, 2, 0}));
}

TEST(ClassesThatOccur, LeavesOutEmptyOnesAndKeepsTheOrder) {
  Dataset dataset;
  GraphParts parts;
  parts.node_count = 1;
  const Graph graph = Graph::create(std::move(parts)).value();
  dataset.graphs = {graph, graph, graph};
  dataset.class_names = {"a", "b", "c", "d"};
  dataset.labels = {3, 0, 3};
  EXPECT_EQ(classes_that_occur(dataset), (std::vector<std::string>{"a", "d"}));
}

TEST(DueDates, ALimitKeepsEarlierDates) {
  DueDates dates;
  dates.graphs = {100, std::nullopt};
  dates.limit_graphs(3, 50);
  EXPECT_EQ(dates.graphs, (std::vector<std::optional<std::int64_t>>{50, 50, 50}));
  dates.graphs = {100, std::nullopt, 300};
  dates.limit_graphs(3, 200);
  EXPECT_EQ(dates.graphs, (std::vector<std::optional<std::int64_t>>{100, 200, 200}));
  EXPECT_EQ(parse_due_date("1970-01-02").value(), 86400);
  EXPECT_EQ(parse_due_date("tomorrow").error().code, ErrorCode::kInvalidArgument);
}

TEST(Subset, KeepsLabelsIdsAndClassNames) {
  Dataset dataset;
  dataset.name = "all";
  dataset.class_names = {"a", "b", "c"};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) dataset.graphs.push_back(testing::random_graph(seed));
  dataset.labels = {2, 0, 2, 1};
  dataset.graph_ids = {"p", "q", "r", "s"};
  const std::vector<std::size_t> chosen = {3, 0, 0};
  const Dataset part = subset(dataset, chosen);
  EXPECT_EQ(part.name, "all");
  EXPECT_EQ(part.class_names, dataset.class_names);
  EXPECT_EQ(part.labels, (std::vector<std::uint32_t>{1, 2, 2}));
  EXPECT_EQ(part.graph_ids, (std::vector<std::string>{"s", "p", "p"}));
  EXPECT_EQ(part.graphs, (std::vector<Graph>{dataset.graphs[3], dataset.graphs[0], dataset.graphs[0]}));
  const std::vector<std::size_t> missing = {4};
  EXPECT_THROW((void)subset(dataset, missing), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
