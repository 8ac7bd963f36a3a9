#include "embedding/transforms/portrait.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/random_graph.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

// Everything that a graph can have.
GraphParts rich_parts(std::uint64_t seed, bool directed = true) {
  testing::RandomGraphOptions options = testing::kWeightedGraph;
  options.directed = directed;
  return testing::random_graph_parts(seed, options);
}

Graph made(GraphParts parts) { return Graph::create(std::move(parts)).value(); }

std::shared_ptr<const Embedder> portrait_embedder(const Graph& graph, bool symmetrise = false) {
  Dataset data;
  data.graphs.push_back(graph);
  TransformSpec spec = default_transform();
  spec.symmetrise = symmetrise;
  return make_embedder(kDefaultFeatures, spec, data).value();
}

// The whole row, zeros included.
std::vector<double> dense_row(const Embedder& embedder, const Graph& graph) {
  SparseBlockRows rows(1, embedder.width());
  rows.set_row(0, embedder.embed(graph).value());
  std::vector<double> dense(embedder.width());
  rows.copy_row(0, dense);
  return dense;
}

double distance_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// Bounded by construction, so also without the clip that follows; a part that is there has all of its share.
TEST(Portrait, EveryRowIsBoundedWithoutAClip) {
  TransformSpec spec = default_transform();
  spec.row_norm = RowNorm::kNone;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    for (const double scale : {0.0, 1e-300, 1e-6, 1.0, -1e9, 1e300}) {
      SCOPED_TRACE(scale);
      GraphParts parts = rich_parts(seed, seed % 2 == 0);
      for (double& value : parts.attributes) value *= scale;
      for (double& weight : parts.weights) weight *= scale / 10;
      Dataset data;
      data.graphs.push_back(made(std::move(parts)));
      data.graphs.push_back(testing::random_graph(seed, {.nodes = 1}));
      data.graphs.push_back(testing::random_graph(seed, {.nodes = 30, .edge_probability = 1}));
      const SparseBlockRows rows = make_embedder(kDefaultFeatures, spec, data).value()->embed(data).value();
      for (std::size_t g = 0; g < rows.rows(); ++g) {
        EXPECT_LE(rows.row_norm(g), 1 + 1e-12);
        EXPECT_GE(rows.row_norm(g), 0.5);
      }
    }
  }
}

// The order in which a file lists nodes is nobody's business.
TEST(Portrait, DoesNotDependOnTheOrderOfNodes) {
  for (const bool directed : {false, true}) {
    const GraphParts parts = rich_parts(11, directed);
    const std::size_t n = parts.node_count;
    std::vector<NodeIndex> place(n);
    std::iota(place.begin(), place.end(), 0u);
    Sequence random(5);
    random.shuffle(std::span(place));
    GraphParts moved = parts;
    for (Edge& edge : moved.edges) edge = {place[edge.from], place[edge.to]};
    for (std::size_t i = 0; i < n; ++i) {
      moved.labels[place[i]] = parts.labels[i];
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t to = 2 * std::size_t{place[i]} + k;
        moved.attributes[to] = parts.attributes[2 * i + k];
        moved.positions[to] = parts.positions[2 * i + k];
      }
      moved.node_ids[place[i]] = parts.node_ids[i];
    }
    const Graph graph = made(parts);
    const auto embedder = portrait_embedder(graph);
    EXPECT_LT(distance_of(dense_row(*embedder, graph), dense_row(*embedder, made(std::move(moved)))), 1e-12);
  }
}

// Everything that a graph has is seen: whatever is changed changes the row.
TEST(Portrait, SeesDirectionsWeightsLabelsAndAttributes) {
  const GraphParts parts = rich_parts(21);
  const Graph graph = made(parts);
  const auto embedder = portrait_embedder(graph);
  const std::vector<double> row = dense_row(*embedder, graph);
  const auto change = [&](auto edit) {
    GraphParts changed = parts;
    edit(changed);
    return distance_of(row, dense_row(*embedder, made(std::move(changed))));
  };
  EXPECT_GT(change([](GraphParts& p) { p.edges[0] = {p.edges[0].to, p.edges[0].from}; }), 1e-3);
  EXPECT_GT(change([](GraphParts& p) { p.weights[0] *= 8; }), 1e-3);
  EXPECT_GT(change([](GraphParts& p) { p.labels[3] += 1; }), 1e-3);
  EXPECT_GT(change([](GraphParts& p) { p.attributes[5] += 0.5; }), 1e-3);
  EXPECT_GT(change([](GraphParts& p) { p.directed = false, p.weights.clear(); }), 1e-2);
  // Positions are left out, and the program says so.
  EXPECT_EQ(change([](GraphParts& p) { p.positions[0] += 0.1; }), 0);
}

// What a certificate compares with is an embedding from scratch.
TEST(Portrait, AnEditedGraphHasTheRowOfTheGraphBuiltThatWay) {
  for (const std::uint64_t seed : {31u, 32u, 33u}) {
    const GraphParts parts = rich_parts(seed, seed % 2 == 0);
    const Graph graph = made(parts);
    const auto embedder = portrait_embedder(graph);
    for (const NodeIndex node : {0u, 7u}) {
      const auto edited = reembed(*embedder, graph, RemoveNode{node}).value();
      ASSERT_TRUE(edited);
      EXPECT_EQ(edited->row, embedder->embed(made(testing::parts_without_node(parts, node))).value());
      // A tombstone counts nowhere, so it makes no difference.
      const auto marked = reembed(*embedder, graph, RemoveNode{node, NodeRemoval::kTombstone}).value();
      ASSERT_TRUE(marked);
      EXPECT_EQ(marked->row, edited->row);
    }
  }
}

// Removed features are gone: the row does not depend on what they were.
TEST(Portrait, RemovedFeaturesLeaveNothing) {
  const GraphParts parts = rich_parts(41);
  GraphParts other = parts;
  other.labels[4] += 17;
  other.attributes[8] = 1e6;
  const Graph graph = made(parts);
  const auto embedder = portrait_embedder(graph);
  const auto one = reembed(*embedder, graph, RemoveFeatures{4}).value();
  const auto two = reembed(*embedder, made(std::move(other)), RemoveFeatures{4}).value();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->row, two->row);
}

// One graph without attributes takes nothing from the others.
TEST(Portrait, AMissingPartIsZeroAndTheOthersStay) {
  const GraphParts parts = rich_parts(51);
  GraphParts bare = parts;
  bare.attribute_count = 0;
  bare.attributes.clear();
  bare.labels.clear();
  bare.weights.clear();
  const Graph graph = made(parts);
  const auto embedder = portrait_embedder(graph);
  const std::vector<double> full = dense_row(*embedder, graph);
  const std::vector<double> less = dense_row(*embedder, made(std::move(bare)));
  EXPECT_GT(distance_of(full, less), 0.1);
  // Size, structure, clustering and directions come first, and are the same numbers.
  const std::ptrdiff_t same = 24 + 512 + 256 + 2 * 64;
  EXPECT_TRUE(std::equal(full.begin(), full.begin() + same, less.begin()));
}

}  // namespace
}  // namespace unscatter
