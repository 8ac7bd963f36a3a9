// Removing features leaves the operator alone, so filters bound before the removal may be used after it: bit for bit.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "reembedding/power_cache.h"
#include "reembedding/shift_cases.h"
#include "unscatter/embedding/scattering.h"
#include "unscatter/embedding/walk_bank.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

constexpr std::size_t kNodes = 24;
constexpr std::size_t kChannels = 5;

// One channel per attribute.
RowMatrix signals_of(const Graph& graph) {
  RowMatrix x(graph.node_count(), graph.attribute_count());
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    for (std::size_t k = 0; k < graph.attribute_count(); ++k) {
      x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = graph.attributes(i)[k];
    }
  }
  return x;
}

struct Removal {
  Graph before;
  Graph after;
};
Removal feature_removal(std::uint64_t seed) {
  Graph before = testing::random_graph(seed, {.nodes = kNodes, .attributes = kChannels});
  Graph after = apply(before, RemoveFeatures{static_cast<NodeIndex>(seed % kNodes)}).value().value();
  return {std::move(before), std::move(after)};
}

TEST(FeatureRemoval, WaveletsOfTheGraphBeforeServeTheGraphAfter) {
  for (const WalkOperator op : {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric}) {
    const auto bank = make_walk_bank(op, 4).value();
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto [before, after] = feature_removal(seed);
      const auto kept = bank->on(before).value();
      const RowMatrix x = signals_of(after);
      ASSERT_NE(x, signals_of(before));
      std::vector<RowMatrix> reused, fresh;
      kept->apply(x, reused);
      bank->on(after).value()->apply(x, fresh);
      EXPECT_EQ(reused, fresh);
    }
  }
}

TEST(FeatureRemoval, TheWholeEmbeddingAgrees) {
  const auto scattering = make_scattering(make_walk_bank(WalkOperator::kRow, 4).value(), {}).value();
  const auto scratch = scattering->make_scratch();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto [before, after] = feature_removal(seed);
    const RowMatrix x = signals_of(after);
    NodeSignals signals{.nodes = kNodes, .channels = {}, .values = {x.data(), x.data() + x.size()}};
    for (std::uint32_t k = 0; k < kChannels; ++k) signals.channels.push_back(k);
    BlockRow reused, fresh;
    ASSERT_TRUE(scattering->embed(before, signals, kChannels, *scratch, reused).ok());
    ASSERT_TRUE(scattering->embed(after, signals, kChannels, *scratch, fresh).ok());
    EXPECT_TRUE(reused == fresh);
  }
}

TEST(FeatureRemoval, CachedPowersAgree) {
  const double coefficients[] = {1, -0.5, 0.25, 3, -2};
  const auto [before, after] = feature_removal(3);
  const RowMatrix x = signals_of(after);
  const PowerCache kept = PowerCache::create(adjacency_shift(before).value(), 4).value();
  const PowerCache fresh = PowerCache::create(adjacency_shift(after).value(), 4).value();
  EXPECT_EQ(kept.apply(coefficients, x), fresh.apply(coefficients, x));
}

}  // namespace
}  // namespace unscatter
