#include "cluster/embed_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/bytes.h"
#include "support/random_graph.h"
#include "unscatter/base/invariant.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter::cluster {
namespace {

Dataset rich_dataset() {
  Dataset dataset;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    dataset.graphs.push_back(testing::random_graph(seed, testing::kRichGraph));
    dataset.labels.push_back(0);
  }
  dataset.class_names = {"any"};
  return dataset;
}

// What comes out at the other end computes the same rows, whatever the embedding is.
TEST(EmbedMessages, AnEmbedderTravelsAsText) {
  const Dataset dataset = rich_dataset();
  std::vector<TransformSpec> specs;
  for (const char* name : {"portrait", "paper", "auto", "social", "size*3 + shapes > fourier:256:2:1"}) {
    specs.push_back(parse_embedding(name).value());
  }
  for (const char* family : {"diffusion", "monic-cubic", "itersine", "gft", "pagerank"}) {
    TransformSpec spec = default_transform();
    spec.family = family;
    spec.row_norm = RowNorm::kNone;
    spec.symmetrise = true;
    specs.push_back(spec);
  }
  for (const TransformSpec& spec : specs) {
    SCOPED_TRACE(spec.family + " " + spec.recipe);
    const auto embedder = make_embedder(usual_features(spec), spec, dataset, FitSource::once()).value();
    const std::optional<std::string> text = embedder_text(*embedder);
    ASSERT_TRUE(text.has_value());
    const auto again = read_embedder(*text).value();
    const SparseBlockRows one = embedder->embed(dataset).value();
    const SparseBlockRows other = again->embed(dataset).value();
    for (std::size_t i = 0; i < one.rows(); ++i) EXPECT_EQ(one.row(i), other.row(i));
    EXPECT_EQ(embedder_text(*again), text);
  }
}

TEST(EmbedMessages, AnEmbedderWithoutWordsStaysAtHome) {
  const auto made = make_embedder("log-degree", default_transform(), {}, {}).value();
  const Embedder by_hand(made->blocks());
  EXPECT_FALSE(embedder_text(by_hand).has_value());
}

TEST(EmbedMessages, AnEmbedderOfAnotherVersionIsRefused) {
  std::string text = embedder_text(*make_embedder("log-degree", default_transform(), {}, {}).value()).value();
  const std::string field = "\"embedding_version\":";
  text.insert(text.find(field) + field.size(), "9");
  const auto read = read_embedder(text);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("different versions"), std::string::npos);
  EXPECT_FALSE(read_embedder("{}").ok());
  EXPECT_FALSE(read_embedder("no text of ours").ok());
}

TEST(EmbedMessages, GraphsTravelWithAllTheyCarry) {
  const Dataset dataset = rich_dataset();
  std::vector<const Graph*> pointers{nullptr};
  for (const Graph& graph : dataset.graphs) pointers.push_back(&graph);
  const auto graphs = unpack_graphs(pack_graphs(pointers)).value();
  ASSERT_EQ(graphs.size(), pointers.size());
  EXPECT_FALSE(graphs[0].has_value());
  const auto embedder = make_embedder("all", default_transform(), dataset, {}).value();
  for (std::size_t i = 1; i < graphs.size(); ++i) {
    ASSERT_TRUE(graphs[i].has_value());
    EXPECT_EQ(embedder->embed(*graphs[i]).value(), embedder->embed(*pointers[i]).value());
    EXPECT_EQ(graphs[i]->node_id(0), pointers[i]->node_id(0));
  }
  EXPECT_TRUE(unpack_graphs(pack_graphs({})).value().empty());
}

TEST(EmbedMessages, RowsTravelBitForBit) {
  const Dataset dataset = rich_dataset();
  const auto embedder = make_embedder("all", default_transform(), dataset, {}).value();
  const auto rows = embedder->embed(dataset);
  SparseBlockRows Z(rows->rows() + 2, rows->columns());
  ASSERT_TRUE(unpack_rows(pack_rows(rows), 1, rows->rows(), Z));
  for (std::size_t i = 0; i < rows->rows(); ++i) EXPECT_EQ(Z.row(i + 1), rows->row(i));
  EXPECT_TRUE(Z.row(0).values.empty());
  EXPECT_FALSE(unpack_rows(pack_rows(Error{ErrorCode::kUnsupported, "no"}), 0, 1, Z));
}

TEST(EmbedMessages, AMessageThatIsCutIsABrokenInvariant) {
  const Dataset dataset = rich_dataset();
  const auto embedder = make_embedder("all", default_transform(), dataset, {}).value();
  std::vector<std::byte> bytes = pack_rows(embedder->embed(dataset));
  bytes.pop_back();
  SparseBlockRows Z(dataset.size(), embedder->width());
  EXPECT_THROW(static_cast<void>(unpack_rows(bytes, 0, dataset.size(), Z)), InvariantViolation);
}

}  // namespace
}  // namespace unscatter::cluster
