#include "unscatter/embedding/make_embedder.h"

#include <gtest/gtest.h>

#include "support/random_graph.h"

namespace unscatter {
namespace {

TEST(MakeEmbedder, EqualsTheBlockPutTogetherByHand) {
  Dataset dataset;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) dataset.graphs.push_back(testing::random_graph(seed));
  dataset.labels = {0, 0, 0};
  dataset.class_names = {"only"};
  TransformSpec spec;
  spec.scales = 2;
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::resolve("log-degree", dataset).value(), make_transform(spec).value()});
  const Embedder by_hand(std::move(blocks), spec.row_norm);
  const auto made = make_embedder("log-degree", spec, dataset).value();
  EXPECT_EQ(made->width(), by_hand.width());
  EXPECT_EQ(made->embed(dataset).value().to_dense(), by_hand.embed(dataset).value().to_dense());
}

TEST(MakeEmbedder, PassesErrorsOn) {
  Dataset dataset;
  dataset.graphs.push_back(testing::random_graph(1));
  dataset.labels = {0};
  EXPECT_FALSE(make_embedder("no-such-feature", {}, dataset).ok());
  TransformSpec spec;
  spec.family = "no-such-family";
  EXPECT_FALSE(make_embedder("log-degree", spec, dataset).ok());
}

}  // namespace
}  // namespace unscatter
