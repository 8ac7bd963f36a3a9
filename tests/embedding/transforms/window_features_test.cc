#include "embedding/transforms/window_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_graph.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

Graph placed_graph(std::uint64_t seed, std::size_t nodes = 20) {
  Sequence random(seed);
  GraphParts parts = testing::random_graph_parts(seed, {.nodes = nodes, .attributes = 1});
  for (std::size_t i = 0; i < 2 * nodes; ++i) parts.positions.push_back(random.unit());
  parts.node_ids.clear();
  return Graph::create(std::move(parts)).value();
}

TransformSpec windows_spec(std::size_t features = 400, double sharpness = 0.5) {
  TransformSpec spec;
  spec.family = "windows";
  spec.windows = 5;
  spec.random_features = features;
  spec.sharpness = sharpness;
  return spec;
}

std::shared_ptr<const Embedder> windows_embedder(const TransformSpec& spec) {
  Dataset data;
  data.graphs.push_back(placed_graph(1));
  return make_embedder("attributes:1", spec, data).value();
}

Vector row_of(const Embedder& embedder, const Graph& graph) {
  const BlockRow row = embedder.embed(graph).value();
  return Eigen::Map<const Vector>(row.values.data(), static_cast<Eigen::Index>(row.values.size()));
}

TEST(WindowFeatures, EveryRowHasLengthOne) {
  const auto embedder = windows_embedder(windows_spec());
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_NEAR(row_of(*embedder, placed_graph(seed, 1 + seed)).norm(), 1, 1e-12);
  }
}

// Products of rows are those of the kernel exp(-h^2 |v - v'|^2 / 2), up to the number of features.  With one window v
// is the mean of the attribute, less what an empty window is given.
TEST(WindowFeatures, ProductsAreNearTheGaussianKernel) {
  TransformSpec spec = windows_spec(20000, 2.0);
  spec.windows = 1;
  const auto embedder = windows_embedder(spec);
  const auto mean = [](const Graph& graph) {
    double sum = 0;
    for (std::size_t i = 0; i < graph.node_count(); ++i) sum += graph.attributes(i)[0];
    return sum / (static_cast<double>(graph.node_count()) + 0.05);
  };
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Graph one = placed_graph(seed, 2);
    const Graph other = placed_graph(100 + seed, 3);
    const double apart = 2.0 * (mean(one) - mean(other));
    EXPECT_NEAR(row_of(*embedder, one).dot(row_of(*embedder, other)), std::exp(-apart * apart / 2), 0.05);
  }
}

TEST(WindowFeatures, PlaceMatters) {
  const auto embedder = windows_embedder(windows_spec());
  GraphParts parts;
  parts.node_count = 2;
  parts.edges = {{0, 1}};
  parts.attribute_count = 1;
  parts.attributes = {1, 0};
  parts.positions = {0.1, 0.1, 0.9, 0.9};
  const Graph one = Graph::create(parts).value();
  parts.positions = {0.9, 0.9, 0.1, 0.1};
  const Graph other = Graph::create(parts).value();
  EXPECT_LT(row_of(*embedder, one).dot(row_of(*embedder, other)), 0.9);
  parts.positions = {7, 1, -3, 0};  // outside: the nearest edge
  EXPECT_NEAR(row_of(*embedder, Graph::create(parts).value()).norm(), 1, 1e-12);
}

// Deletion-closed: the row after a removal is that of the graph built without the node.
TEST(WindowFeatures, ARemovedNodeLeavesNothing) {
  const auto embedder = windows_embedder(windows_spec());
  const Graph graph = placed_graph(3);
  const Graph edited = *apply(graph, RemoveNode{4, NodeRemoval::kCompact}).value();
  GraphParts parts;
  parts.node_count = edited.node_count();
  parts.attribute_count = 1;
  for (std::size_t i = 0; i < edited.node_count(); ++i) {
    for (const NodeIndex j : edited.neighbours(i)) parts.edges.push_back({j, static_cast<NodeIndex>(i)});
    parts.attributes.push_back(edited.attributes(i)[0]);
    parts.positions.insert(parts.positions.end(), edited.position(i).begin(), edited.position(i).end());
  }
  EXPECT_EQ(row_of(*embedder, edited), row_of(*embedder, Graph::create(parts).value()));
}

TEST(WindowFeatures, RefusesWhatItCannotDo) {
  const auto refuse = [](const WindowOptions& options) {
    EXPECT_EQ(make_window_features(options).error().code, ErrorCode::kInvalidArgument);
  };
  refuse({.side = 0});
  refuse({.side = 65});
  refuse({.features = 0});
  refuse({.features = 7});
  refuse({.sharpness = 0});
  refuse({.sharpness = std::nan("")});
  const auto embedder = windows_embedder(windows_spec());
  GraphParts parts;
  parts.node_count = 1;
  parts.attribute_count = 1;
  parts.attributes = {1};
  EXPECT_EQ(embedder->embed(Graph::create(parts).value()).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace unscatter
