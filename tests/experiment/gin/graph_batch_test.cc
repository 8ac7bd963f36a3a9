#include "experiment/gin/graph_batch.h"

#include <gtest/gtest.h>

#include "support/random_graph.h"
#include "unscatter/base/invariant.h"

namespace unscatter::gin {
namespace {

Dataset two_directed_graphs() {
  Dataset dataset;
  dataset.class_names = {"a", "b"};
  dataset.graphs.push_back(
      testing::random_graph(1, {.nodes = 5, .edge_probability = 0.5, .directed = true, .attributes = 3}));
  dataset.graphs.push_back(
      testing::random_graph(2, {.nodes = 7, .edge_probability = 0.5, .directed = true, .attributes = 3}));
  dataset.labels = {1, 0};
  return dataset;
}

float entry(const SparseRows& S, std::size_t i, std::uint32_t j) {
  float sum = 0;
  for (std::size_t e = S.offsets[i]; e < S.offsets[i + 1]; ++e) sum += S.column[e] == j ? S.value[e] : 0;
  return sum;
}

TEST(GraphBatch, GraphsLieSideBySideInTheOrderAskedFor) {
  const Dataset dataset = two_directed_graphs();
  const FeatureMap map = FeatureMap::resolve("paper", dataset, FitSource::once()).value();
  const std::size_t both[] = {0, 1};
  const std::size_t order[] = {1, 0};
  const GraphBatch batch = make_batch(prepare_graphs(dataset, both, map).value(), order);

  ASSERT_EQ(batch.nodes(), 12U);
  ASSERT_EQ(batch.graphs(), 2U);
  EXPECT_EQ(batch.labels, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(batch.features.columns, 3U);
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::size_t graph = i < 7 ? 1 : 0;
    const std::uint32_t first = i < 7 ? 0 : 7;
    const Graph& g = dataset.graphs[graph];
    for (std::uint32_t j = 0; j < 12; ++j) {
      const bool same = (j < 7) == (i < 7);
      EXPECT_EQ(entry(batch.adjacency, i, j), same && g.has_edge(j - first, i - first) ? 1.0F : 0.0F) << i << " " << j;
    }
    for (std::uint32_t k = 0; k < 3; ++k) {
      EXPECT_FLOAT_EQ(entry(batch.features, i, k), static_cast<float>(g.attributes(i - first)[k]));
    }
    EXPECT_FLOAT_EQ(entry(batch.averages, i < 7 ? 0 : 1, i), i < 7 ? 1 / 7.0F : 1 / 5.0F);
  }
}

TEST(GraphBatch, AGraphThatIsNotThereIsABrokenInvariant) {
  const Dataset dataset = two_directed_graphs();
  const FeatureMap map = FeatureMap::resolve("paper", dataset, FitSource::once()).value();
  const std::size_t third[] = {2};
  EXPECT_THROW((void)prepare_graphs(dataset, third, map), InvariantViolation);
}

}  // namespace
}  // namespace unscatter::gin
