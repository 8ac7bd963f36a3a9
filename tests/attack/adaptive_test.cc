// Requests by others react to a model that still knew somebody.  Then that person is forgotten.  What does the last
// model say, on its own?
//
// The accomplices look at model 1 and ask to be forgotten if they believe that the victim is in it.  So what is left
// afterwards depends on the victim, in a world of retraining too: level removed promises nothing against this.  Level
// everyone does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "attack/games.h"
#include "support/sanitized.h"

namespace unscatter {
namespace {

using testing::game_session;
using testing::nameless_graphs;
using testing::never_had;
using testing::promised_guess;
using testing::RandomData;
using testing::replay_session;
using testing::success_rate;
using testing::SuccessRate;

constexpr std::size_t kRounds = 1500;
constexpr std::size_t kTarget = 5;

// Half of all graphs, so that their going is plain to see in the last model.
const std::vector<RemovalRequest>& accomplices() {
  static const std::vector<RemovalRequest> all = [] {
    std::vector<RemovalRequest> requests;
    for (std::size_t graph = 10; graph < 30; ++graph) requests.emplace_back(ForgetGraph{graph});
    return requests;
  }();
  return all;
}

bool nearer_to_first(const Matrix& seen, const Matrix& first, const Matrix& second) {
  return (seen - first).norm() < (seen - second).norm();
}

struct Play {
  std::size_t right = 0;     // rounds in which the last model alone tells whether the victim was there
  double reading_shift = 0;  // how far apart the two last models are, in noise
  Exposure exposure;         // of forgetting the victim after model 1
};

Play play_rounds(const RandomData& data, const SessionOptions& options) {
  const Session with = game_session(data.dataset, data.embedder, options, 1);
  const Session without = game_session(never_had(data.dataset, kTarget), data.embedder, options, 2);
  // What the last model looks like with and without the accomplices.
  Session all_left = game_session(never_had(data.dataset, kTarget), data.embedder, options, 3);
  const Matrix stayed = all_left.weights();
  EXPECT_TRUE(all_left.forget(accomplices()).ok());
  const Matrix left = all_left.weights();

  Play play;
  play.reading_shift = (stayed - left).norm() / with.options().noise_stddev;
  Session counted = replay_session(with.snapshot(), data.embedder, options, 4);
  EXPECT_TRUE(counted.release().ok());
  EXPECT_TRUE(counted.preview(std::vector<RemovalRequest>{ForgetGraph{kTarget}}, &play.exposure).ok());

  Sequence coin(5);
  for (std::size_t round = 0; round < kRounds; ++round) {
    const bool was_in = coin.chance(0.5);
    Session session = replay_session((was_in ? with : without).snapshot(), data.embedder, options, 1000 + round);
    const Matrix first = session.release().value().weights;
    if (nearer_to_first(first, with.weights(), without.weights())) {
      EXPECT_TRUE(session.forget(accomplices()).ok());
    }
    if (was_in) {
      EXPECT_TRUE(session.forget(ForgetGraph{kTarget}).ok());
    }
    // Whoever looks now has seen no other model.
    const Matrix last = session.release().value().weights;
    play.right += nearer_to_first(last, left, stayed) == was_in ? 1u : 0u;
  }
  return play;
}

TEST(AdaptiveAttack, UnderLevelRemovedTheLastModelTellsWhatTheExposureSays) {
  if (testing::kSanitized) GTEST_SKIP() << testing::kStatistics;
  const RandomData data = nameless_graphs(31, 40, 2);
  SessionOptions options;
  options.releases = 2;
  options.noise_stddev = 1;
  const Play unit = play_rounds(data, options);
  // Noise that blurs model 1 a little.  The accomplices stay well visible in the last one.
  options.noise_stddev = unit.exposure.shift / 2;
  const Play play = play_rounds(data, options);
  ASSERT_GT(best_guess({play.reading_shift, 1}), 0.999);
  const SuccessRate rate = success_rate(play.right, kRounds);
  EXPECT_LE(rate.lower_bound, best_guess(play.exposure));
  EXPECT_GE(rate.upper_bound, best_guess(play.exposure));
  // Far from blind: "each model alone is covered" would be a false sentence.
  EXPECT_GT(rate.lower_bound, promised_guess(options.guarantee));
}

TEST(AdaptiveAttack, WithLittleNoiseItAlwaysSucceedsUnderLevelRemoved) {
  const RandomData data = nameless_graphs(31, 40, 2);
  SessionOptions options;
  options.releases = 2;
  options.noise_stddev = 1e-4;
  EXPECT_EQ(play_rounds(data, options).right, kRounds);
}

TEST(AdaptiveAttack, LevelEveryoneKeepsItsPromise) {
  if (testing::kSanitized) GTEST_SKIP() << testing::kStatistics;
  for (const std::size_t classes : {2u, 3u}) {
    const RandomData data = nameless_graphs(31, 40, classes);
    SessionOptions options;
    options.protection = Protection::kEveryone;
    options.classes = ConstantKind::kStated;
    options.ridge = 0.05;
    options.releases = 2;
    const Play play = play_rounds(data, options);
    EXPECT_LE(success_rate(play.right, kRounds).lower_bound, promised_guess(options.guarantee));
  }
}

}  // namespace
}  // namespace unscatter
