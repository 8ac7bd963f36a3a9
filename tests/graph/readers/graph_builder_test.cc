#include "graph/readers/graph_builder.h"

#include <gtest/gtest.h>

#include <span>

#include "support/random_graph.h"
#include "unscatter/base/random.h"

namespace unscatter::readers {
namespace {

// Random edge lists, shuffled, with loops and repetitions: the same graph as Graph::create makes of them.
TEST(BuildGraph, EqualsGraphCreate) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const int kind : {0, 1, 2}) {  // undirected, directed, directed with weights
      SCOPED_TRACE(seed);
      const bool directed = kind > 0;
      GraphParts parts = testing::random_graph_parts(
          seed, {.nodes = 5 + seed, .edge_probability = 0.3, .directed = directed, .attributes = 2, .label_values = 3});
      Sequence random(seed);
      const std::size_t edges = parts.edges.size();
      for (std::size_t k = 0; k < edges; k += 3) parts.edges.push_back(parts.edges[k]);
      parts.edges.push_back({1, 1});
      random.shuffle(std::span(parts.edges));
      if (kind == 2) {
        for (std::size_t k = 0; k < parts.edges.size(); ++k) parts.weights.push_back(random.unit());
      }
      const Graph expected = Graph::create(parts).value();

      Dropped dropped;
      EXPECT_EQ(build_graph(parts, dropped).value(), expected);
      EXPECT_EQ(dropped.self_loops, 1u);
      EXPECT_EQ(dropped.duplicate_edges, (edges + 2) / 3);
    }
  }
}

TEST(BuildGraph, MirrorImagesAreNoDuplicates) {
  GraphParts parts;
  parts.node_count = 3;
  parts.edges = {{0, 1}, {1, 0}, {2, 1}};
  Dropped dropped;
  const Graph graph = build_graph(parts, dropped).value();
  EXPECT_EQ(graph.edge_count(), 2u);
  EXPECT_EQ(dropped.duplicate_edges, 0u);
}

TEST(BuildGraphs, TheFirstErrorWinsOnAnyNumberOfThreads) {
  for (const std::size_t threads : {1u, 4u}) {
    Dataset dataset;
    const Status status =
        build_graphs(1000, {.threads = threads}, dataset, [](std::size_t g, Dropped&) -> Result<Graph> {
          if (g % 100 == 37) return Error{ErrorCode::kMalformedInput, std::to_string(g)};
          return testing::random_graph(g + 1, {.nodes = 3});
        });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "37");
    EXPECT_TRUE(dataset.graphs.empty());
  }
}

}  // namespace
}  // namespace unscatter::readers
