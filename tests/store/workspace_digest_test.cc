// The same requests on the same data: the same replay digest, whatever the way; and the same state on any number of
// threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/seeded_random.h"
#include "store/sample_workspace.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::sample_choices;
using testing::sample_setup;
using testing::SampleChoice;
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
  Digest state;
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
  return {workspace->info().head, workspace->replay_digest().value(),         workspace->state_digest().value(),
          session.weights(),      session.certificate().distance_upper_bound, session.remaining().graphs};
}

TEST(Replay, GivesTheSameLedgerOnAnyNumberOfThreads) {
  const Replayed one = replay(replay_batches(), {.threads = 1, .repeatable = true});
  const Replayed two = replay(replay_batches(), {.threads = 2, .repeatable = true});
  EXPECT_EQ(one.head, two.head);
  EXPECT_EQ(one.state, two.state);
  EXPECT_EQ(one.weights, two.weights);
}

// With clocks and randomness as they are the ledgers differ, what was done does not.
TEST(Replay, GivesTheSameDigestsEverywhere) {
  const Replayed one = replay(replay_batches(), {.threads = 1});
  const Replayed two = replay(replay_batches(), {.threads = 2});
  EXPECT_NE(one.head, two.head);
  EXPECT_EQ(one.state, two.state);
  EXPECT_EQ(one.replay, two.replay);
  const Replayed again = replay(replay_batches(), {.repeatable = true});
  EXPECT_EQ(again.state, one.state);
  EXPECT_EQ(again.replay, one.replay);
}

TEST(Replay, OtherRequestsGiveOtherDigests) {
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
    EXPECT_NE(replayed.state, original.state);
    EXPECT_NE(replayed.head, original.head);
  }
  const Replayed elsewhere = replay(replay_batches(), {.repeatable = true}, 4);
  EXPECT_NE(elsewhere.replay, original.replay);
  EXPECT_NE(elsewhere.state, original.state);
}

// A process that ends in between loses the factors that are kept for speed, so later weights need not be equal bit for
// bit; the data is, and both are as close to the optimum as certified.
TEST(Replay, AfterReopeningTheDataIsEqualAndTheWeightsAreWithinTheirCertificates) {
  const Replayed through = replay(replay_batches(), {});
  const Replayed reopened = replay(replay_batches(), {.reopen = true});
  EXPECT_EQ(reopened.graphs, through.graphs);
  EXPECT_EQ(reopened.replay, through.replay);
  EXPECT_LE((reopened.weights - through.weights).norm(), reopened.distance + through.distance);
  // Where it ends is all the same if it always ends there.
  EXPECT_EQ(replay(replay_batches(), {.threads = 2, .reopen = true}).state, reopened.state);
}

// How the steps of a life are carried out.
struct ReplayWay {
  const char* name;
  std::size_t threads;
  std::size_t steps_per_opening;  // 0: never opened again
  bool warm;                      // a session of all graphs from the beginning
};
constexpr ReplayWay kReplayWays[] = {{"one session", 1, 0, true},           {"one session, two threads", 2, 0, true},
                                     {"an opening per step", 1, 1, false},  {"cold, two threads", 2, 1, false},
                                     {"warm at every opening", 1, 1, true}, {"three steps per opening", 2, 3, false}};

// One step of a life with everything that makes an entry.
using LifeStep = std::function<Status(Workspace&)>;

std::vector<LifeStep> whole_life(const SampleChoice& choice) {
  const auto forget = [](const std::vector<RemovalRequest>& requests) {
    return [requests](Workspace& workspace) -> Status {
      UNSCATTER_CHECK_OK(workspace.forget(requests));
      return ok_status();
    };
  };
  std::vector<LifeStep> steps = {forget({ForgetNode{0u, 1u}}), forget({ForgetFeatures{1u, 0u}, ForgetGraph{3u}}),
                                 [](Workspace& workspace) -> Status {
                                   UNSCATTER_CHECK_OK(workspace.release());
                                   return ok_status();
                                 },
                                 forget({ForgetSubject{"u5"}})};
  // Level everyone takes neither additions nor corrections.
  if (choice.options.protection == Protection::kEveryone) return steps;
  steps.emplace_back([choice](Workspace& workspace) -> Status {
    UNSCATTER_CHECK_OK(workspace.add(sample_setup(9, choice, 3).dataset));
    return ok_status();
  });
  steps.emplace_back([](Workspace& workspace) -> Status {
    const std::vector<Correction> corrections = {SetFeatures{26u, 0u, std::vector<double>{0.5, 0.25}}};
    UNSCATTER_CHECK_OK(workspace.correct(corrections));
    return ok_status();
  });
  steps.emplace_back(forget({ForgetGraph{24u}, ForgetNode{25u, 0u}}));
  return steps;
}

Result<Digest> live_through(SampleWorkspace& sample, const std::vector<LifeStep>& steps, const ReplayWay& way) {
  sample.how.threads = way.threads;
  std::optional<Workspace> workspace = sample.create();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (way.steps_per_opening > 0 && i % way.steps_per_opening == 0) {
      workspace.reset();
      workspace = sample.open();
    }
    if (way.warm) UNSCATTER_CHECK_OK(workspace->session());
    UNSCATTER_CHECK_OK(steps[i](*workspace));
  }
  return workspace->replay_digest();
}

class ReplayOfEveryKind : public ::testing::TestWithParam<SampleChoice> {};

TEST_P(ReplayOfEveryKind, TheDigestDoesNotDependOnTheWay) {
  const std::vector<LifeStep> steps = whole_life(GetParam());
  std::optional<Digest> expected;
  for (const ReplayWay& way : kReplayWays) {
    SCOPED_TRACE(way.name);
    SampleWorkspace sample(sample_setup(3, GetParam(), 24));
    const Result<Digest> digest = live_through(sample, steps, way);
    ASSERT_TRUE(digest.ok()) << digest.error().message;
    if (!expected) expected = *digest;
    EXPECT_EQ(*digest, *expected);
    // From the file alone, and after a session of all graphs was made.
    Workspace opened = sample.open();
    EXPECT_EQ(opened.replay_digest().value(), *expected);
    ASSERT_TRUE(opened.session().ok());
    EXPECT_EQ(opened.replay_digest().value(), *expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Options, ReplayOfEveryKind, ::testing::ValuesIn(sample_choices()),
                         [](const auto& instance) { return instance.param.name; });

Digest digest_after(const WorkspaceSetup& setup, const std::vector<LifeStep>& steps) {
  SampleWorkspace sample(setup);
  return live_through(sample, steps, kReplayWays[2]).value();
}

TEST(Replay, AnotherGraphOrConstantGivesAnotherDigest) {
  const WorkspaceSetup original = sample_setup(3, {}, 24);
  const std::vector<LifeStep> steps = whole_life({});
  const Digest expected = digest_after(original, steps);
  const std::vector<std::pair<const char*, std::function<void(WorkspaceSetup&)>>> changes = {
      {"a graph", [](WorkspaceSetup& setup) { setup.dataset.graphs[8] = setup.dataset.graphs[9]; }},
      {"a label", [](WorkspaceSetup& setup) { setup.dataset.labels[8] = 1 - setup.dataset.labels[8]; }},
      {"a number", [](WorkspaceSetup& setup) { setup.dataset.numbers.back() += 7; }},
      {"the name of a class", [](WorkspaceSetup& setup) { setup.dataset.class_names[1] += "x"; }},
      {"lambda", [](WorkspaceSetup& setup) { setup.options.regularisation *= 2; }},
      {"the loss", [](WorkspaceSetup& setup) { setup.options.loss = Loss::squared(); }},
      {"the noise", [](WorkspaceSetup& setup) { setup.options.noise_stddev *= 2; }},
      {"epsilon", [](WorkspaceSetup& setup) { setup.options.guarantee.epsilon *= 2; }},
      {"the features", [](WorkspaceSetup& setup) { setup.features = "attributes"; }},
      {"the transform", [](WorkspaceSetup& setup) { setup.transform.layers = 3; }}};
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    WorkspaceSetup changed = original;
    if (changed.dataset.numbers.empty()) {
      for (std::size_t g = 0; g < changed.dataset.size(); ++g) changed.dataset.numbers.push_back(g);
    }
    change(changed);
    // Numbers of added graphs follow the largest one.
    const std::vector<LifeStep> first(steps.begin(), steps.begin() + 4);
    EXPECT_NE(digest_after(changed, first), digest_after(original, first));
  }
  WorkspaceSetup renamed = original;
  renamed.dataset.name = "another";
  EXPECT_EQ(digest_after(renamed, steps), expected);
  // A life that does one thing less.
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE(i);
    if (i == 4) continue;  // later steps are about what this one adds
    std::vector<LifeStep> fewer = steps;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(digest_after(original, fewer), expected);
  }
}

// Rows are in the digest as they are kept.  Damaged ones are not believed, and forged ones are seen.
TEST(Replay, DamagedRowsAreDerivedAgainAndForgedOnesShow) {
  const SampleWorkspace sample(sample_setup(3, {}, 24));
  static_cast<void>(sample.create());
  const Digest expected = sample.open().replay_digest().value();
  const std::string good = sample.bytes();
  for (const char* damage :
       {"DELETE FROM embeddings WHERE slot = 4", "UPDATE embeddings SET seal = seal + 1 WHERE slot = 4",
        "UPDATE embeddings SET content = zeroblob(length(content)) WHERE slot = 4",
        "UPDATE embeddings SET slot = slot + 100 WHERE slot = 23",
        "DROP TABLE embeddings; DROP TABLE members; "
        "DROP TABLE tree; DROP TABLE curvature"}) {
    SCOPED_TRACE(damage);
    sample.edit(std::string(damage));
    EXPECT_EQ(sample.open().replay_digest().value(), expected);
    sample.replace(good);
  }
  sample.edit([](const Database& database) {
    const GraphRow graph = read_graph(WorkspaceTables(database), 4).value();
    BlockRow forged;
    forged.segments = {{0, 1}};
    forged.values = {0.5};
    ASSERT_TRUE(write_row(WorkspaceTables(database), 4, forged, graph.label, graph.leaf(4)).ok());
  });
  EXPECT_NE(sample.open().replay_digest().value(), expected);
  sample.replace(good);
  // What the ledger vouches for is never passed over.
  sample.edit("UPDATE graphs SET label = 1 - label WHERE slot = 4");
  EXPECT_EQ(sample.open().replay_digest().error().code, ErrorCode::kMalformedInput);
}

}  // namespace
}  // namespace unscatter
