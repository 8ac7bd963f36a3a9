#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random_graph.h"
#include "unscatter/embedding/walk_bank.h"
#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {
namespace {

std::vector<Graph> some_graphs(std::size_t count, bool last_is_directed) {
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    graphs.push_back(
        testing::random_graph(seed, {.nodes = 4 + seed % 9, .directed = last_is_directed && seed == count}));
  }
  return graphs;
}

TEST(FrameBoundsOver, AreTheExtremesForAnyNumberOfThreads) {
  const auto bank = make_walk_bank(WalkOperator::kRow, 3).value();
  const std::vector<Graph> graphs = some_graphs(30, false);
  std::vector<double> lower;
  std::vector<double> upper;
  for (const Graph& graph : graphs) {
    const FrameBounds bounds = bank->on(graph).value()->frame_bounds();
    lower.push_back(bounds.lower);
    upper.push_back(bounds.upper);
  }
  for (const std::size_t threads : {1u, 2u, 5u}) {
    const FrameBounds all = frame_bounds_over(*bank, graphs, threads).value();
    EXPECT_EQ(all.lower, *std::min_element(lower.begin(), lower.end()));
    EXPECT_EQ(all.upper, *std::max_element(upper.begin(), upper.end()));
  }
  EXPECT_LT(*std::min_element(upper.begin(), upper.end()), *std::max_element(upper.begin(), upper.end()));
}

TEST(FrameBoundsOver, NoGraphsGiveZeros) {
  const FrameBounds none = frame_bounds_over(*make_walk_bank(WalkOperator::kRow, 3).value(), {}).value();
  EXPECT_EQ(none.lower, 0);
  EXPECT_EQ(none.upper, 0);
}

TEST(FrameBoundsOver, OneGraphThatTheBankRefusesIsAnError) {
  const auto bank = make_walk_bank(WalkOperator::kSymmetric, 3).value();
  EXPECT_TRUE(frame_bounds_over(*bank, some_graphs(9, false), 2).ok());
  const auto refused = frame_bounds_over(*bank, some_graphs(9, true), 2);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace unscatter
