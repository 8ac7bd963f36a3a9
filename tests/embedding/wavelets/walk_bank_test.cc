#include "unscatter/embedding/walk_bank.h"

#include <gtest/gtest.h>

#include "support/random_graph.h"

namespace unscatter {
namespace {

// T as the formula in the header says, entry by entry.
Matrix dense_walk(const Graph& graph, WalkOperator op) {
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  Matrix A = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (const NodeIndex j : graph.neighbours(static_cast<std::size_t>(i))) A(i, j) = 1;
  }
  const auto inverse = [](double d) { return d > 0 ? 1 / d : 0.0; };
  const Vector in = A.rowwise().sum().unaryExpr(inverse);
  const Vector out = A.colwise().sum().transpose().unaryExpr(inverse);
  const Matrix I = Matrix::Identity(n, n);
  switch (op) {
    case WalkOperator::kRow: return 0.5 * (I + in.asDiagonal() * A);
    case WalkOperator::kColumn: return 0.5 * (I + A * out.asDiagonal());
    case WalkOperator::kSymmetric: return 0.5 * (I + in.cwiseSqrt().asDiagonal() * A * in.cwiseSqrt().asDiagonal());
  }
  return I;
}

constexpr WalkOperator kAll[] = {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric};

TEST(WalkBank, BandsAreDifferencesOfDyadicPowers) {
  for (const WalkOperator op : kAll) {
    for (const bool directed : {false, true}) {
      if (directed && op == WalkOperator::kSymmetric) continue;
      const Graph graph = testing::random_graph(3, {.nodes = 12, .edge_probability = 0.15, .directed = directed});
      const Matrix T = dense_walk(graph, op);
      const auto filters = make_walk_bank(op, 4).value()->on(graph).value();
      std::vector<RowMatrix> bands;
      filters->apply(RowMatrix::Identity(12, 12), bands);
      const Matrix T2 = T * T;
      const Matrix T4 = T2 * T2;
      ASSERT_EQ(bands.size(), 4u);
      EXPECT_LE((bands[0] - (Matrix::Identity(12, 12) - T)).norm(), 1e-14);
      EXPECT_LE((bands[1] - (T - T2)).norm(), 1e-14);
      EXPECT_LE((bands[2] - (T2 - T4)).norm(), 1e-14);
      EXPECT_LE((bands[3] - (T4 - T4 * T4)).norm(), 1e-14);
    }
  }
}

TEST(WalkBank, SymmetricFrameIsContractive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = testing::random_graph(seed, {.nodes = 15});
    const FrameBounds bounds = make_walk_bank(WalkOperator::kSymmetric, 5).value()->on(graph).value()->frame_bounds();
    EXPECT_LE(bounds.upper, 1 + 1e-6);
    EXPECT_GE(bounds.upper, bounds.lower);
  }
}

TEST(WalkBank, RefusesWhatItCannotDo) {
  EXPECT_EQ(make_walk_bank(WalkOperator::kRow, 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(make_walk_bank(WalkOperator::kRow, 17).error().code, ErrorCode::kInvalidArgument);
  const Graph directed = testing::random_graph(1, {.directed = true});
  EXPECT_EQ(make_walk_bank(WalkOperator::kSymmetric, 3).value()->on(directed).error().code, ErrorCode::kUnsupported);
}

// The bounds hold for signals drawn at random, and the upper one is attained by some signal (the top singular vector).
TEST(FrameBounds, HoldForEverySignal) {
  for (const WalkOperator op : kAll) {
    const Graph graph = testing::random_graph(8, {.nodes = 10, .attributes = 6});
    const auto filters = make_walk_bank(op, 3).value()->on(graph).value();
    const FrameBounds bounds = filters->frame_bounds();
    RowMatrix signals(10, 6);
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t k = 0; k < 6; ++k)
        signals(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = graph.attributes(i)[k];
    }
    std::vector<RowMatrix> bands;
    filters->apply(signals, bands);
    for (Eigen::Index k = 0; k < 6; ++k) {
      double energy = 0;
      for (const RowMatrix& band : bands) energy += band.col(k).squaredNorm();
      const double norm = signals.col(k).norm();
      EXPECT_LE(std::sqrt(energy), bounds.upper * norm);
      EXPECT_GE(std::sqrt(energy), bounds.lower * norm);
    }
  }
}

TEST(FrameBounds, NormBoundOfATightFrameIsTheRootOfTheLayers) {
  EXPECT_DOUBLE_EQ(embedding_norm_bound(1.0, 3), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(embedding_norm_bound(2.0, 3), std::sqrt(1.0 + 4.0 + 16.0));
}

}  // namespace
}  // namespace unscatter
