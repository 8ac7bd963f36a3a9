#include "reembedding/plain_shift.h"

#include <gtest/gtest.h>

#include "reembedding/node_slots.h"
#include "reembedding/shift_cases.h"
#include "support/exact_spectrum.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

Graph without_node(const Graph& graph, NodeIndex v) { return apply(graph, RemoveNode{v}).value().value(); }

// E S + S E and nothing else: the property that both incremental schemes rest on.
TEST(PlainShift, RemovingANodeDeletesItsRowAndColumn) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Graph graph = testing::random_graph(seed, {.nodes = 15});
    const auto v = static_cast<NodeIndex>(seed % 15);
    const Graph edited = without_node(graph, v);
    const Matrix A = adjacency_shift(graph).value();
    EXPECT_EQ(adjacency_shift(edited).value(), without(A, v));

    Matrix E = Matrix::Zero(15, 15);
    E(v, v) = -1;
    EXPECT_EQ(A + E * A + A * E, testing::tombstone(A, v));

    const Vector frozen = degrees(graph);
    Vector kept(14);
    kept << frozen.head(v), frozen.tail(14 - v);
    EXPECT_EQ(frozen_degree_shift(edited, kept).value(), without(frozen_degree_shift(graph, frozen).value(), v));
  }
}

// The rank of a symmetric matrix.
Eigen::Index rank_of(const Matrix& symmetric) {
  const testing::WideVector sizes = testing::exact_eigenvalues(symmetric).cwiseAbs();
  return (sizes.array() > 1e-12L * sizes.maxCoeff()).count();
}

// With degrees taken afresh the neighbours' rows change too, and the modification is no longer of rank two.
TEST(PlainShift, RenormalisationTouchesTheNeighbours) {
  const Graph graph = testing::random_graph(5, {.nodes = 20, .edge_probability = 0.3});
  const Graph edited = apply(graph, RemoveNode{0, NodeRemoval::kTombstone}).value().value();
  const Matrix before = frozen_degree_shift(graph, degrees(graph)).value();
  const Matrix after = frozen_degree_shift(edited, degrees(edited)).value();
  ASSERT_GE(graph.degree(0), 3u);
  EXPECT_EQ(rank_of(testing::tombstone(before, 0) - before), 2);
  const Eigen::Index rank = rank_of(after - before);
  EXPECT_GT(rank, 2);
  EXPECT_LE(rank, static_cast<Eigen::Index>(2 * graph.degree(0) + 2));
}

// Two graphs that differ in a removed node's edges only: after the removal the graphs agree, the frozen shifts do not.
TEST(PlainShift, FrozenDegreesStillShowTheRemovedEdges) {
  GraphParts parts;
  parts.node_count = 3;
  parts.edges = {{0, 1}, {1, 2}};
  const Graph path = Graph::create(parts).value();
  parts.edges.pop_back();
  const Graph single = Graph::create(parts).value();
  ASSERT_EQ(without_node(path, 2), without_node(single, 2));
  const Matrix from_path = without(frozen_degree_shift(path, degrees(path)).value(), 2);
  const Matrix from_single = without(frozen_degree_shift(single, degrees(single)).value(), 2);
  EXPECT_GT((from_path - from_single).norm(), 0.1);
}

TEST(PlainShift, RefusesWhatIsNotSymmetricOrDoesNotFit) {
  const Graph directed = testing::random_graph(1, {.directed = true});
  EXPECT_EQ(adjacency_shift(directed).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(frozen_degree_shift(directed, degrees(directed)).error().code, ErrorCode::kUnsupported);
  const Graph graph = testing::random_graph(1, {.nodes = 4});
  EXPECT_EQ(frozen_degree_shift(graph, Vector::Ones(3)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(frozen_degree_shift(graph, -Vector::Ones(4)).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
