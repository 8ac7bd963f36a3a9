#include "experiment/frozen_degrees.h"

#include <gtest/gtest.h>

#include "support/random_graph.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

TEST(FrozenDegrees, KeepWhatTheyWereWhenANeighbourGoes) {
  const Dataset groups = generate_interest_groups({.groups = 6}).value();
  ASSERT_TRUE(has_only_degrees(groups));
  const Dataset frozen = with_frozen_degrees(groups);
  ASSERT_EQ(frozen.size(), groups.size());
  EXPECT_EQ(frozen.labels, groups.labels);
  EXPECT_FALSE(has_only_degrees(frozen));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Graph& before = frozen.graphs[g];
    const Graph after = apply(before, RemoveNode{0, NodeRemoval::kTombstone}).value().value();
    for (std::size_t i = 1; i < before.node_count(); ++i) {
      EXPECT_EQ(before.label(i), static_cast<std::int64_t>(groups.graphs[g].degree(i)));
      EXPECT_EQ(after.label(i), before.label(i));
      EXPECT_EQ(after.degree(i), before.degree(i) - (before.has_edge(0, i) ? 1 : 0));
    }
  }
}

TEST(FrozenDegrees, AreForDataWithoutFeaturesOnly) {
  Dataset rich;
  rich.graphs.push_back(testing::random_graph(1, testing::kRichGraph));
  EXPECT_FALSE(has_only_degrees(rich));
}

}  // namespace
}  // namespace unscatter
