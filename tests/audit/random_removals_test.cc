#include "audit/random_removals.h"

#include <gtest/gtest.h>

#include "unlearn/random_session.h"

namespace unscatter {
namespace {

using testing::random_data;
using testing::RandomData;

Session trained_on(const RandomData& data, const SessionOptions& options = {}) {
  return Session::create(data.dataset, data.embedder, options).value();
}

TEST(RandomRemovals, AreOfAllKindsAndEndWithAGraph) {
  const RandomData data = random_data(1, {.graphs = 60});
  for (const NodeRemoval removal : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    SessionOptions options;
    options.removal = removal;
    Session session = trained_on(data, options);
    const Matrix before = session.weights();
    Sequence random(1);
    const RandomRemovals removals = remove_at_random(session, 40, random).value();
    EXPECT_EQ(removals.requests.size(), 40u);
    EXPECT_EQ(removals.counts.total(), 40u);
    for (const std::size_t kind : {removals.counts.features, removals.counts.nodes, removals.counts.edges,
                                   removals.counts.graphs, removals.counts.subjects}) {
      EXPECT_GT(kind, 0u);
    }
    EXPECT_TRUE(std::holds_alternative<ForgetGraph>(removals.requests.back()));
    EXPECT_EQ(session.updates(), 40u);
    EXPECT_EQ(removals.weights_before, before);
    EXPECT_NE(removals.weights_before_last, session.weights());
  }
}

TEST(RandomRemovals, TheSameSeedChoosesTheSame) {
  const RandomData data = random_data(2);
  std::vector<std::string> chosen[3];
  const std::uint64_t seeds[] = {5, 5, 6};
  for (int i = 0; i < 3; ++i) {
    Session session = trained_on(data);
    Sequence random(seeds[i]);
    const RandomRemovals removals = remove_at_random(session, 6, random).value();
    for (const RemovalRequest& request : removals.requests) chosen[i].push_back(describe(request));
  }
  EXPECT_EQ(chosen[0], chosen[1]);
  EXPECT_NE(chosen[0], chosen[2]);
}

TEST(RandomRemovals, EndWhereThereIsNothingLeft) {
  const RandomData data = random_data(3, {.graphs = 4});
  Session session = trained_on(data);
  Sequence random(1);
  const auto removals = remove_at_random(session, 500, random);
  ASSERT_FALSE(removals.ok());
  EXPECT_EQ(removals.error().code, ErrorCode::kInvalidArgument);
}

TEST(RandomRemovals, LookingForTheStrongestChangesNothing) {
  const RandomData data = random_data(4);
  Session session = trained_on(data);
  const Matrix before = session.weights();
  Sequence random(1);
  const RemovalRequest strongest = strongest_removal(session, 8, random).value();
  EXPECT_EQ(session.weights(), before);
  EXPECT_EQ(session.updates(), 0u);
  // It is stronger than a single random one, which is among those that it was chosen from.
  Sequence again(1);
  const RemovalRequest first = strongest_removal(session, 1, again).value();
  const auto change = [&](const RemovalRequest& request) {
    return (session.prepare(std::span(&request, 1)).value().weights() - before).norm();
  };
  EXPECT_GE(change(strongest), change(first));
}

}  // namespace
}  // namespace unscatter
