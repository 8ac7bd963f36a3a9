// The same requests on the same data: the same workspace, on any number of threads.
#include <gtest/gtest.h>

#include "base/testing/seeded_random.h"
#include "store/sample_workspace.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::sample_setup;
using testing::SampleWorkspace;

// Clock and randomness that are the same in every run, and different at every call.
void make_repeatable(WorkspaceOptions& how) {
  how.clock = [ticks = std::int64_t{1769903999}]() mutable { return ++ticks; };
  how.random = [sources = std::uint64_t{0}]() mutable { return std::make_unique<testing::SeededRandom>(++sources); };
}

using Batches = std::vector<std::vector<RemovalRequest>>;

// Batches that the sample allows one after the other.
Batches replay_batches() {
  return {{ForgetNode{0u, 1u}, ForgetFeatures{1u, 0u}},
          {ForgetGraph{3u}},
          {ForgetNode{4u, 0u}, ForgetNode{5u, 2u}, ForgetGraph{6u}},
          {ForgetFeatures{7u, 1u}},
          {ForgetNode{0u, 2u}}};
}

struct Replayed {
  Digest head;
  Digest replay;
  Matrix weights;
  double distance = 0;
  std::vector<Graph> graphs;
};

struct ReplayOptions {
  std::size_t threads = 1;
  bool repeatable = false;
  bool reopen = false;  // before every batch
};

Replayed replay(const Batches& batches, const ReplayOptions& options, std::uint64_t seed = 3) {
  SampleWorkspace sample(sample_setup(seed, {}, 24));
  sample.how.threads = options.threads;
  if (options.repeatable) make_repeatable(sample.how);
  std::optional<Workspace> workspace = sample.create();
  for (const auto& batch : batches) {
    if (options.reopen) {
      workspace.reset();
      workspace = sample.open();
    }
    EXPECT_TRUE(workspace->forget(batch).ok());
  }
  const Session& session = *workspace->session().value();
  return {workspace->info().head, workspace->replay_digest().value(), session.weights(),
          session.certificate().distance_upper_bound, session.remaining().graphs};
}

TEST(Replay, GivesTheSameLedgerOnAnyNumberOfThreads) {
  const Replayed one = replay(replay_batches(), {.threads = 1, .repeatable = true});
  const Replayed two = replay(replay_batches(), {.threads = 2, .repeatable = true});
  EXPECT_EQ(one.head, two.head);
  EXPECT_EQ(one.replay, two.replay);
  EXPECT_EQ(one.weights, two.weights);
}

// With clocks and randomness as they are the ledgers differ, what was done does not.
TEST(Replay, GivesTheSameDigestEverywhere) {
  const Replayed one = replay(replay_batches(), {.threads = 1});
  const Replayed two = replay(replay_batches(), {.threads = 2});
  EXPECT_NE(one.head, two.head);
  EXPECT_EQ(one.replay, two.replay);
  EXPECT_EQ(replay(replay_batches(), {.repeatable = true}).replay, one.replay);
}

TEST(Replay, OtherRequestsGiveAnotherDigest) {
  const Replayed original = replay(replay_batches(), {.repeatable = true});
  Batches order = replay_batches();
  std::swap(order[1], order[3]);
  Batches request = replay_batches();
  request[4] = {ForgetNode{0u, 0u}};
  Batches joined = replay_batches();
  joined[1].push_back(joined[3][0]);
  joined.erase(joined.begin() + 3);
  Batches fewer = replay_batches();
  fewer.pop_back();
  for (const Batches& other : {order, request, joined, fewer}) {
    const Replayed replayed = replay(other, {.repeatable = true});
    EXPECT_NE(replayed.replay, original.replay);
    EXPECT_NE(replayed.head, original.head);
  }
  EXPECT_NE(replay(replay_batches(), {.repeatable = true}, 4).replay, original.replay);
}

// A process that ends in between loses the factors that are kept for speed, so later weights need not be equal bit for
// bit; the data is, and both are as close to the optimum as certified.
TEST(Replay, AfterReopeningTheDataIsEqualAndTheWeightsAreWithinTheirCertificates) {
  const Replayed through = replay(replay_batches(), {});
  const Replayed reopened = replay(replay_batches(), {.reopen = true});
  EXPECT_EQ(reopened.graphs, through.graphs);
  EXPECT_LE((reopened.weights - through.weights).norm(), reopened.distance + through.distance);
  // Where it ends is all the same if it always ends there.
  EXPECT_EQ(replay(replay_batches(), {.threads = 2, .reopen = true}).replay, reopened.replay);
}

}  // namespace
}  // namespace unscatter
