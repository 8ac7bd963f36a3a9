#include "unscatter/embedding/embedder.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/random_graph.h"
#include "unscatter/embedding/walk_scattering.h"

namespace unscatter {
namespace {

EmbeddingBlock block(const char* features, WalkOperator op, bool linear = false) {
  return {FeatureMap::parse(features).value(),
          make_walk_scattering(op, 3, {.layers = 3, .moments = 2, .linear = linear}).value()};
}

Embedder example_embedder() {
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back(block("degree-onehot:20+attributes:2", WalkOperator::kRow));
  blocks.push_back(block("labels:0,1,2+log-degree", WalkOperator::kColumn, true));
  return Embedder(std::move(blocks));
}

Dataset example_dataset(std::size_t graphs) {
  Dataset dataset;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    testing::RandomGraphOptions options = testing::kRichGraph;
    options.nodes = 3 + seed % 40;
    dataset.graphs.push_back(testing::random_graph(seed, options));
    dataset.labels.push_back(0);
  }
  dataset.class_names = {"0"};
  return dataset;
}

TEST(Embedder, BlocksStandSideBySide) {
  const Embedder both = example_embedder();
  std::vector<EmbeddingBlock> first;
  first.push_back(block("degree-onehot:20+attributes:2", WalkOperator::kRow));
  std::vector<EmbeddingBlock> second;
  second.push_back(block("labels:0,1,2+log-degree", WalkOperator::kColumn, true));
  const Embedder left(std::move(first));
  const Embedder right(std::move(second));
  const Dataset dataset = example_dataset(5);
  const RowMatrix Z = both.embed(dataset).value().to_dense();
  RowMatrix expected(Z.rows(), Z.cols());
  expected << left.embed(dataset).value().to_dense(), right.embed(dataset).value().to_dense();
  EXPECT_EQ(Z, expected);
}

TEST(Embedder, ResultsDoNotDependOnTheThreads) {
  const Embedder embedder = example_embedder();
  const Dataset dataset = example_dataset(150);
  const SparseBlockRows one = embedder.embed(dataset, {.threads = 1}).value();
  for (const std::size_t threads : {2u, 3u, 7u}) {
    const SparseBlockRows many = embedder.embed(dataset, {.threads = threads}).value();
    for (std::size_t g = 0; g < dataset.size(); ++g) ASSERT_EQ(many.row(g), one.row(g));
  }
}

// The property of theory section 3 for every kind of edit: embedding what is left equals embedding a graph that never
// had it.
TEST(Embedder, CompactRemovalEqualsTheEmbeddingOfTheGraphBuiltWithoutTheNode) {
  const Embedder embedder = example_embedder();
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const GraphParts parts = testing::random_graph_parts(seed, testing::kRichGraph);
    const auto node = static_cast<NodeIndex>(seed % parts.node_count);
    const Graph without = Graph::create(testing::parts_without_node(parts, node)).value();
    const auto result = reembed(embedder, Graph::create(parts).value(), RemoveNode{node}).value();
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->row, embedder.embed(without).value());
  }
}

TEST(Embedder, EdgeRemovalEqualsTheEmbeddingOfTheGraphBuiltWithoutTheEdge) {
  const Embedder embedder = example_embedder();
  GraphParts parts = testing::random_graph_parts(3, testing::kRichGraph);
  const Edge gone = parts.edges.back();
  const Graph graph = Graph::create(parts).value();
  parts.edges.pop_back();
  const auto result = reembed(embedder, graph, RemoveEdge{gone.from, gone.to}).value();
  EXPECT_EQ(result->row, embedder.embed(Graph::create(parts).value()).value());
}

TEST(Embedder, AGoneGraphHasNoRowAndABadEditIsRefused) {
  const Embedder embedder = example_embedder();
  const Graph graph = testing::random_graph(3, testing::kRichGraph);
  EXPECT_FALSE(reembed(embedder, graph, RemoveGraph{}).value().has_value());
  EXPECT_EQ(reembed(embedder, graph, RemoveNode{99}).error().code, ErrorCode::kNotFound);
}

TEST(Embedder, AnErrorNamesTheFirstGraph) {
  Dataset dataset = example_dataset(60);
  dataset.graphs[41] = testing::random_graph(1);
  dataset.graphs[23] = testing::random_graph(2);  // no labels either, and before
  const Result<SparseBlockRows> result = example_embedder().embed(dataset, {.threads = 3});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message.find("graph 23: "), 0u) << result.error().message;
}

TEST(Embedder, ProgressCountsEveryGraph) {
  class Counter final : public Progress {
   public:
    void begin(std::string_view, std::size_t total) override { expected = total; }
    void advance(std::size_t units) override { done += units; }
    std::size_t expected = 0;
    std::atomic<std::size_t> done{0};
  };
  Counter counter;
  const Dataset dataset = example_dataset(33);
  ASSERT_TRUE(example_embedder().embed(dataset, {.threads = 2, .progress = &counter}).ok());
  EXPECT_EQ(counter.expected, 33u);
  EXPECT_EQ(counter.done.load(), 33u);
}

}  // namespace
}  // namespace unscatter
