#include "unscatter/embedding/transform_spec.h"

#include <gtest/gtest.h>

#include "support/random_graph.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/walk_scattering.h"

namespace unscatter {
namespace {

TransformSpec spec_of(std::string_view family) {
  TransformSpec spec;
  spec.family = family;
  if (family == "custom") spec.kernel = "0..1: 1 -1 | 0..1: 0 1; 1..2: 1";
  return spec;
}

Embedder embedder_of(const TransformSpec& spec) {
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::parse("attributes:2").value(), make_transform(spec).value()});
  return Embedder(std::move(blocks));
}

// What every transform promises: a row of the stated width, the same on each call, and for a compactly edited graph the
// same as for the graph built without the node.
TEST(TransformSpec, EveryFamilyIsAFunctionOfTheGraph) {
  for (const std::string_view family : transform_families()) {
    if (family == "rows") continue;  // it takes graphs of one node; given_rows_test.cc
    SCOPED_TRACE(family);
    const Embedder embedder = embedder_of(spec_of(family));
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const GraphParts parts = testing::random_graph_parts(seed, {.nodes = 12, .attributes = 2, .positions = true});
      const Graph graph = Graph::create(parts).value();
      EXPECT_EQ(embedder.embed(graph).value(), embedder.embed(graph).value());
      const auto node = static_cast<NodeIndex>(seed);
      const Graph without = Graph::create(testing::parts_without_node(parts, node)).value();
      EXPECT_EQ(reembed(embedder, graph, RemoveNode{node}).value()->row, embedder.embed(without).value());
    }
  }
}

TEST(TransformSpec, WaveletFamiliesHaveBanksWithFrameBounds) {
  const Graph graph = testing::random_graph(3, {.nodes = 15});
  for (const std::string_view family : transform_families()) {
    SCOPED_TRACE(family);
    const auto bank = make_wavelet_bank(spec_of(family)).value();
    if (family == "gft" || family == "pagerank" || family == "windows" || family == "portrait" || family == "blocks" ||
        family == "rows") {
      EXPECT_EQ(bank, nullptr);
      continue;
    }
    const FrameBounds bounds = bank->on(graph).value()->frame_bounds();
    EXPECT_LE(bounds.lower, bounds.upper);
    EXPECT_GT(bounds.upper, 0);
    EXPECT_LT(bounds.upper, 10);
  }
}

TEST(TransformSpec, TheDefaultIsGeometricScatteringOverTheRowWalk) {
  const auto direct = make_walk_scattering(WalkOperator::kRow, 4, {.layers = 3, .moments = 3}).value();
  EXPECT_EQ(make_transform({}).value()->name(), direct->name());
  EXPECT_EQ(make_transform({}).value()->width(5), direct->width(5));
}

TEST(TransformSpec, BadSpecsAreRefused) {
  EXPECT_EQ(make_transform(spec_of("wavelet")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(make_transform(spec_of("wavelet")).error().message.find("itersine"), std::string::npos);
  TransformSpec symmetric;
  symmetric.op = WalkOperator::kSymmetric;
  EXPECT_EQ(make_transform(symmetric).error().code, ErrorCode::kInvalidArgument);
  TransformSpec kernel_missing;
  kernel_missing.family = "custom";
  EXPECT_EQ(make_transform(kernel_missing).error().code, ErrorCode::kInvalidArgument);
  TransformSpec no_frame = kernel_missing;
  no_frame.kernel = "0..1: 0 1";  // nothing above 1
  EXPECT_EQ(make_transform(no_frame).error().code, ErrorCode::kFrameCondition);
}

}  // namespace
}  // namespace unscatter
