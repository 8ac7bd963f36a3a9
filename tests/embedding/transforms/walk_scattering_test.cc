#include "unscatter/embedding/walk_scattering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "embedding/transforms/walk_kernel.h"
#include "support/random_graph.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

// Random signals on `graph`: some of `channels` channels, in ascending order.
NodeSignals random_signals(const Graph& graph, std::size_t channels, std::uint64_t seed) {
  Sequence random(seed);
  NodeSignals signals;
  signals.nodes = graph.node_count();
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    if (random.chance(0.6)) signals.channels.push_back(channel);
  }
  for (std::size_t k = 0; k < signals.nodes * signals.width(); ++k) signals.values.push_back(2 * random.unit() - 1);
  return signals;
}

BlockRow embed(const Transform& transform, const Graph& graph, const NodeSignals& signals, std::size_t channels) {
  BlockRow row;
  const auto scratch = transform.make_scratch();
  EXPECT_TRUE(transform.embed(graph, signals, channels, *scratch, row).ok());
  return row;
}

struct Case {
  WalkOperator op;
  std::size_t scales;
  ScatteringOptions options;
  bool directed;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const WalkOperator op : {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric}) {
    for (const bool directed : {false, true}) {
      if (directed && op == WalkOperator::kSymmetric) continue;
      for (const std::size_t scales : {1u, 2u, 3u, 5u}) {
        for (const std::size_t layers : {1u, 2u, 3u, 4u}) {
          const LowPass low_pass = (scales + layers) % 2 == 0 ? LowPass::kMean : LowPass::kDegree;
          all.push_back(
              {op,
               scales,
               {.layers = layers, .moments = 1 + (scales + layers) % 6, .linear = layers == 2, .low_pass = low_pass},
               directed});
        }
      }
    }
  }
  return all;
}

// The plain tree over the plain filters is the specification of the fast one.
TEST(WalkScattering, EqualsThePlainScatteringTree) {
  std::uint64_t seed = 0;
  for (const Case& c : cases()) {
    for (const std::size_t channels : {1u, 3u, 11u, 60u}) {
      SCOPED_TRACE(::testing::Message() << walk_operator_name(c.op) << " J" << c.scales << " L" << c.options.layers
                                        << " channels " << channels);
      ++seed;
      const Graph graph =
          testing::random_graph(seed, {.nodes = 1 + seed % 23, .edge_probability = 0.25, .directed = c.directed});
      const NodeSignals signals = random_signals(graph, channels, seed);
      const auto plain = make_scattering(make_walk_bank(c.op, c.scales).value(), c.options).value();
      const auto fast = make_walk_scattering(c.op, c.scales, c.options).value();
      ASSERT_EQ(plain->width(channels), fast->width(channels));
      const BlockRow expected = embed(*plain, graph, signals, channels);
      const BlockRow actual = embed(*fast, graph, signals, channels);
      ASSERT_EQ(actual.segments, expected.segments);
      for (std::size_t k = 0; k < expected.values.size(); ++k) {
        ASSERT_NEAR(actual.values[k], expected.values[k], 1e-13) << "value " << k;
      }
    }
  }
}

// A channel's coefficients depend on that channel alone: bit for bit the same beside others, in any tile, in any lane.
TEST(WalkScattering, ChannelsDoNotMeet) {
  const Graph graph = testing::random_graph(5, {.nodes = 700, .edge_probability = 0.01});
  const ScatteringOptions options{.layers = 3, .moments = 3};
  const auto transform = make_walk_scattering(WalkOperator::kRow, 4, options).value();
  const NodeSignals all = random_signals(graph, 150, 9);  // several tiles
  ASSERT_GT(all.width(), 64u);
  const BlockRow together = embed(*transform, graph, all, 150);
  for (const std::size_t k : {std::size_t{0}, std::size_t{33}, all.width() - 1}) {
    NodeSignals one;
    one.nodes = all.nodes;
    one.channels = {all.channels[k]};
    for (std::size_t i = 0; i < all.nodes; ++i) one.values.push_back(all.node(i)[k]);
    const BlockRow alone = embed(*transform, graph, one, 150);
    const std::size_t tree = scattering_tree_size(4, 3);
    for (std::size_t node = 0; node < tree; ++node) {
      for (std::size_t q = 0; q < 3; ++q) {
        ASSERT_EQ(alone.values[node * 3 + q], together.values[(node * all.width() + k) * 3 + q]);
      }
    }
  }
}

// One result on every machine: the instruction sets of this one stand in for others.
TEST(WalkScattering, InstructionSetsAgreeBitForBit) {
  const Graph graph = testing::random_graph(6, {.nodes = 40, .edge_probability = 0.3});
  const NodeSignals signals = random_signals(graph, 37, 2);
  for (const WalkOperator op : {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric}) {
    const auto transform =
        make_walk_scattering(op, 4, {.layers = 3, .moments = 5, .low_pass = LowPass::kDegree}).value();
    const BlockRow best = embed(*transform, graph, signals, 37);
    int compared = 0;
    for (const WalkKernels& kernels : walk_kernel_variants()) {
      choose_walk_kernels_for_test(&kernels);
      EXPECT_EQ(embed(*transform, graph, signals, 37), best) << kernels.name;
      ++compared;
    }
    choose_walk_kernels_for_test(nullptr);
    EXPECT_GE(compared, 1);
  }
}

TEST(WalkScattering, ScratchCarriesNothingOver) {
  const auto transform = make_walk_scattering(WalkOperator::kColumn, 3, {.layers = 3, .moments = 2}).value();
  const auto scratch = transform->make_scratch();
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    const Graph graph = testing::random_graph(seed, {.nodes = seed % 2 == 0 ? 5u : 60u});
    const NodeSignals signals = random_signals(graph, seed % 3 == 0 ? 2 : 45, seed);
    BlockRow reused;
    ASSERT_TRUE(transform->embed(graph, signals, 45, *scratch, reused).ok());
    EXPECT_EQ(reused, embed(*transform, graph, signals, 45));
  }
}

TEST(WalkScattering, NoSignalGivesAnEmptyRow) {
  const Graph graph = testing::random_graph(1);
  NodeSignals none;
  none.nodes = graph.node_count();
  const auto transform = make_walk_scattering(WalkOperator::kRow, 2, {}).value();
  EXPECT_EQ(embed(*transform, graph, none, 7), BlockRow());
}

TEST(WalkScattering, RefusesWhatItCannotDo) {
  EXPECT_EQ(make_walk_scattering(WalkOperator::kRow, 0, {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(make_walk_scattering(WalkOperator::kRow, 3, {.layers = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(make_walk_scattering(WalkOperator::kRow, 3, {.moments = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(make_walk_scattering(WalkOperator::kRow, 16, {.layers = 9}).error().code, ErrorCode::kLimitExceeded);
  const Graph directed = testing::random_graph(1, {.directed = true});
  const auto symmetric = make_walk_scattering(WalkOperator::kSymmetric, 2, {}).value();
  BlockRow row;
  EXPECT_EQ(symmetric->embed(directed, random_signals(directed, 2, 1), 2, *symmetric->make_scratch(), row).error().code,
            ErrorCode::kUnsupported);
}

TEST(WalkScattering, CostCountsOperations) {
  // J = 1, L = 2, Q = 1 on 3 nodes with 4 entries: one step (4 + 9), two signals' sums (6), one band's difference and
  // modulus (6).
  const WalkScatteringCost cost = walk_scattering_cost(3, 4, 1, 1, {.layers = 2, .moments = 1});
  EXPECT_EQ(cost.flops, 13 + 6 + 6);
  EXPECT_EQ(cost.bytes, 8 * (4 + 6));
  EXPECT_STRNE(simd_target_name(), "");
}

}  // namespace
}  // namespace unscatter
