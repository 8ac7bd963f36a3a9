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

// Symmetrising belongs to the embedding: rows and fits are those of the undirected graphs.
TEST(MakeEmbedder, SymmetrisesBeforeFeaturesAndTransformsLook) {
  Dataset directed;
  Dataset undirected;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    directed.graphs.push_back(testing::random_graph(seed, {.nodes = 12, .edge_probability = 0.3, .directed = true}));
    undirected.graphs.push_back(symmetrised(directed.graphs.back()));
  }
  for (const char* family : {"geometric", "diffusion", "portrait"}) {
    SCOPED_TRACE(family);
    TransformSpec spec;
    spec.family = family;
    const auto usual = make_embedder("degree-onehot", spec, undirected, FitSource::private_refit()).value();
    spec.symmetrise = true;
    const auto made = make_embedder("degree-onehot", spec, directed, FitSource::private_refit()).value();
    EXPECT_EQ(made->blocks().front().features.describe(), usual->blocks().front().features.describe());
    EXPECT_EQ(made->embed(directed).value().to_dense(), usual->embed(undirected).value().to_dense());
    EXPECT_NE(made->describe().find("undirected"), std::string::npos);
    // The fit of what is left, too: without the graph of the largest degree and with all others.
    const std::vector<const Graph*> left = {&directed.graphs[0]};
    const std::vector<const Graph*> left_undirected = {&undirected.graphs[0]};
    const auto refitted = made->refitted(left).value();
    const auto usual_refitted = usual->refitted(left_undirected).value();
    ASSERT_EQ(refitted == nullptr, usual_refitted == nullptr);
    if (refitted != nullptr) {
      EXPECT_EQ(refitted->embed(directed).value().to_dense(), usual_refitted->embed(undirected).value().to_dense());
    }
    for (std::size_t g = 0; g < directed.size(); ++g) {
      EXPECT_EQ(made->fit_shown_by(directed.graphs[g]), usual->fit_shown_by(undirected.graphs[g]));
      EXPECT_EQ(made->fit_may_change(directed.graphs[g], nullptr),
                usual->fit_may_change(undirected.graphs[g], nullptr));
    }
  }
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

TEST(ParseEmbedding, NamesStandForTransforms) {
  EXPECT_EQ(parse_embedding("portrait").value().family, "portrait");
  EXPECT_EQ(parse_embedding("paper").value().family, "geometric");
  EXPECT_EQ(parse_embedding("rows").value().family, "rows");
  EXPECT_EQ(parse_embedding("rows:20").value().row_scale, 20);
  EXPECT_EQ(parse_embedding("auto").value().recipe, "auto");
  EXPECT_EQ(parse_embedding("size*3 + shapes").value().family, "blocks");
  // What a name does not say is kept.
  TransformSpec base;
  base.symmetrise = true;
  EXPECT_TRUE(parse_embedding("auto", base).value().symmetrise);
  for (const char* wrong : {"rows:0", "rows:-1", "rows:x", "rows:1e999", "rows:", "nonsense", ""}) {
    EXPECT_FALSE(parse_embedding(wrong).ok()) << wrong;
  }
}

TEST(ParseEmbedding, OnlyNamesAreBuiltIn) {
  for (const char* name : {"portrait", "paper", "rows", "auto"}) EXPECT_TRUE(embedding_is_built_in(name)) << name;
  for (const char* stated : {"rows:20", "size*3 + shapes"}) EXPECT_FALSE(embedding_is_built_in(stated)) << stated;
}

TEST(ParseEmbedding, FeaturesAndRegularisationGoWithTheFamily) {
  const TransformSpec portrait = default_transform();
  EXPECT_EQ(usual_features(portrait), kDefaultFeatures);
  EXPECT_EQ(usual_regularisation(portrait, 7), kDefaultRegularisation);
  const TransformSpec rows = parse_embedding("rows").value();
  EXPECT_EQ(usual_features(rows), "attributes");
  EXPECT_EQ(usual_regularisation(rows, 7), kRowsRegularisation);
  const TransformSpec paper = parse_embedding("paper").value();
  EXPECT_EQ(usual_features(paper), "auto");
  EXPECT_EQ(usual_regularisation(paper, 7), 7);
  const TransformSpec recipe = parse_embedding("auto").value();
  EXPECT_EQ(usual_features(recipe), recipe_features("auto"));
  EXPECT_EQ(usual_regularisation(recipe, 7), recipe_regularisation("auto"));
}

}  // namespace
}  // namespace unscatter
