#include "reembedding/eigen_downdate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reembedding/rank_one_eigen.h"
#include "reembedding/shift_cases.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using Eigen::Index;

struct Kernel {
  const char* name;
  KernelFunction h;
};

// In units of the shift's norm, so that an adjacency of norm 30 is no excuse for exp() to overflow.
std::vector<Kernel> kernels(double norm) {
  const double unit = std::max(norm, 1.0);
  return {{"polynomial", [unit](double t) { return 1 - 2 * t / unit + std::pow(t / unit, 3); }},
          {"heat", [unit](double t) { return std::exp(-t / unit); }},
          {"band-pass", [unit](double t) { return t / unit * std::exp(-4 * t * t / (unit * unit)); }}};
}

// The decomposition against S itself, and every kernel against a fresh decomposition of S.
void expect_equal(const EigenDowndate& updated, const Matrix& S, double norm) {
  const Index n = S.rows();
  const auto& [values, V] = updated.eigen();
  const RowMatrix x = testing::random_signals(9, n, 3);
  const SymmetricEigen fresh = symmetric_eigen(S).value();
  EXPECT_LE((V * values.asDiagonal() * V.transpose() - S).norm(), 1e-10 * std::max(norm, 1.0));
  EXPECT_LE((V.transpose() * V - Matrix::Identity(n, n)).norm(), 1e-10);
  for (const auto& [name, h] : kernels(norm)) {
    EXPECT_LE((updated.apply(h, x) - apply_kernel(fresh, h, x)).norm(), 1e-10 * x.norm()) << name;
  }
}

TEST(EigenDowndate, RemovalEqualsAFreshDecomposition) {
  for (std::size_t nodes = 2; nodes <= 40; ++nodes) {
    for (std::uint64_t seed = nodes; seed < nodes + 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << nodes << " nodes, seed " << seed);
      const Matrix S = testing::random_shift(seed, nodes);
      const auto v = static_cast<Index>(seed % nodes);
      EigenDowndate compact = EigenDowndate::create(S).value();
      EigenDowndate tombstone = compact;
      ASSERT_TRUE(compact.remove_node(static_cast<std::size_t>(v)).ok());
      ASSERT_TRUE(tombstone.remove_node(static_cast<std::size_t>(v), NodeRemoval::kTombstone).ok());
      expect_equal(compact, without(S, v), S.norm());
      expect_equal(tombstone, testing::tombstone(S, v), S.norm());
    }
  }
}

TEST(EigenDowndate, SelfWeightsAreAllowed) {
  const Matrix S = 0.5 * (Matrix::Identity(20, 20) + testing::random_shift(4, 20));
  EigenDowndate updated = EigenDowndate::create(S).value();
  ASSERT_TRUE(updated.remove_node(7).ok());
  expect_equal(updated, without(S, 7), S.norm());
}

// Eigenvalue 0 is repeated on a star (and e_v of the removed hub joins it): no computed vector need be e_v.
TEST(EigenDowndate, TheRemovedNodeIsSplitOffARepeatedZero) {
  GraphParts parts;
  parts.node_count = 9;
  for (NodeIndex leaf = 1; leaf < 9; ++leaf) parts.edges.push_back({0, leaf});
  const Matrix S = adjacency_shift(Graph::create(parts).value()).value();
  for (const std::size_t v : {std::size_t{0}, std::size_t{4}}) {
    EigenDowndate updated = EigenDowndate::create(S).value();
    ASSERT_TRUE(updated.remove_node(v).ok());
    expect_equal(updated, without(S, static_cast<Index>(v)), S.norm());
  }
}

// Thirty removals one after the other until one node is left; the error must stay a sum of rounding errors.
TEST(EigenDowndate, RemovalsInSequenceUntilOneNodeIsLeft) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Sequence random(seed);
    Matrix S = testing::random_shift(seed, 31);
    const double norm = std::max(S.norm(), 1.0);
    EigenDowndate updated = EigenDowndate::create(S).value();
    while (updated.nodes() > 1) {
      const auto v = static_cast<Index>(random.below(updated.nodes()));
      S = without(S, v);
      ASSERT_TRUE(updated.remove_node(static_cast<std::size_t>(v)).ok());
      const auto& [values, V] = updated.eigen();
      worst = std::max(worst, (V * values.asDiagonal() * V.transpose() - S).norm() / norm);
      worst = std::max(worst, (V.transpose() * V - Matrix::Identity(S.rows(), S.rows())).norm());
      expect_equal(updated, S, norm);
    }
    EXPECT_EQ(updated.remove_node(0).error().code, ErrorCode::kInvalidArgument);
  }
  RecordProperty("worst_error", ::testing::PrintToString(worst));
  EXPECT_LE(worst, 1e-12);
}

// Negative control: the two modifications with their signs exchanged add the edges of v a second time, and the
// comparison of kernels that the tests above pass must fail.
TEST(EigenDowndate, TheWrongSignIsCaught) {
  const Matrix S = testing::random_shift(3, 20);
  const Index v = 5;
  const Vector s = S.col(v);
  ASSERT_GT(s.norm(), 0);
  const double a = std::sqrt(s.norm());
  const Vector p = a * Vector::Unit(20, v) + s / a;
  const Vector m = a * Vector::Unit(20, v) - s / a;
  const SymmetricEigen before = symmetric_eigen(S).value();
  const SymmetricEigen fresh = symmetric_eigen(testing::tombstone(S, v)).value();
  const RowMatrix x = testing::random_signals(9, 20, 3);
  for (const double sign : {1.0, -1.0}) {
    const SymmetricEigen half = rank_one_eigen(before, -0.5 * sign, p).value();
    const SymmetricEigen after = rank_one_eigen(half, 0.5 * sign, m).value();
    for (const auto& [name, h] : kernels(S.norm())) {
      const double error = (apply_kernel(after, h, x) - apply_kernel(fresh, h, x)).norm() / x.norm();
      if (sign > 0) {
        EXPECT_LE(error, 1e-10) << name;
      } else {
        EXPECT_GT(error, 1e-2) << name;
      }
    }
  }
}

TEST(EigenDowndate, RefusesWhatItCannotDo) {
  EXPECT_EQ(EigenDowndate::create(Matrix()).error().code, ErrorCode::kInvalidArgument);
  Matrix skew = Matrix::Zero(2, 2);
  skew(0, 1) = 1;
  EXPECT_EQ(EigenDowndate::create(skew).error().code, ErrorCode::kInvalidArgument);
  EigenDowndate eigen = EigenDowndate::create(Matrix::Zero(2, 2)).value();
  EXPECT_EQ(eigen.remove_node(2).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace unscatter
