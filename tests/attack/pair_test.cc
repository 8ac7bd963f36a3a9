// Somebody kept a model from before a removal.  What do they learn when the removal is done?
//
// Level removed promises nothing against this, and the exposure of the removal says how well it works.  Level everyone
// promises (epsilon, delta) against it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
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

constexpr std::size_t kGames = 4000;
constexpr std::size_t kVictim = 5;
// Classes, and models that are published: a mirrored pair of vectors and several, one model and several.
constexpr std::array kKinds = {std::pair<std::size_t, std::size_t>{2, 1}, std::pair<std::size_t, std::size_t>{3, 4}};

SessionOptions removed_with(double noise, std::size_t releases) {
  SessionOptions options;
  options.noise_stddev = noise;
  options.releases = releases;
  return options;
}

SessionOptions everyone_with(std::size_t releases) {
  SessionOptions options;
  options.protection = Protection::kEveryone;
  options.classes = ConstantKind::kStated;
  options.ridge = 0.05;  // about lambda n of the data below
  options.releases = releases;
  return options;
}

// How often the best observer is right about whether the victim was in the models that they kept: so many that one
// session published.  They know everything else: all other graphs, the victim's graph, and so both candidate weights.
std::size_t guess_membership(const RandomData& data, const SessionOptions& options, std::size_t models) {
  const Session with = game_session(data.dataset, data.embedder, options, 1);
  const Session without = game_session(never_had(data.dataset, kVictim), data.embedder, options, 2);
  const Matrix direction = with.weights() - without.weights();
  const Matrix middle = (with.weights() + without.weights()) / 2;
  std::size_t right = 0;
  Sequence coin(3);
  for (std::size_t game = 0; game < kGames; ++game) {
    const bool was_in = coin.chance(0.5);
    // A session of its own for every game, with noise of its own.
    Session session = replay_session((was_in ? with : without).snapshot(), data.embedder, options, 100 + game);
    double towards = 0;
    for (std::size_t model = 0; model < models; ++model) {
      towards += (session.release().value().weights - middle).cwiseProduct(direction).sum();
    }
    right += (towards > 0) == was_in ? 1 : 0;
  }
  return right;
}

// The exposure of forgetting the victim after all models are published.
Exposure exposure_of_victim(const RandomData& data, const SessionOptions& options, std::size_t models) {
  Session session = game_session(data.dataset, data.embedder, options, 4);
  for (std::size_t model = 0; model < models; ++model) EXPECT_TRUE(session.release().ok());
  Exposure exposure;
  EXPECT_TRUE(session.forget(ForgetGraph{kVictim}, &exposure).ok());
  return exposure;
}

TEST(PairAttack, LevelRemovedSucceedsAsOftenAsTheExposureSays) {
  if (testing::kSanitized) GTEST_SKIP() << testing::kStatistics;
  for (const auto& [classes, models] : kKinds) {
    const RandomData data = nameless_graphs(21, 40, classes);
    // With little noise, kept weights are so near to their optima that their difference is that of the optima.  A
    // guarantee that covers many models keeps them near with more noise, too.
    constexpr double kLittle = 1e-4;
    constexpr std::size_t kCovered = 1000;
    const Exposure unit = exposure_of_victim(data, removed_with(kLittle, kCovered), models);
    for (const double shift : {0.7, 1.5, 3.0}) {
      SCOPED_TRACE(shift);
      // Noise for which the victim is as exposed as that.
      const SessionOptions options = removed_with(kLittle * unit.shift / shift, kCovered);
      const Exposure exposure = exposure_of_victim(data, options, models);
      EXPECT_NEAR(exposure.shift, shift, 0.02);  // kept weights are near the optimum, not on it
      const SuccessRate rate = success_rate(guess_membership(data, options, models), kGames);
      EXPECT_LE(rate.lower_bound, best_guess(exposure));
      EXPECT_GE(rate.upper_bound, best_guess(exposure));
      // The planted fault: a number that forgets a root of two would be noticed.
      EXPECT_GT(rate.lower_bound, best_guess({exposure.shift / 1.414, models}));
      EXPECT_LT(rate.upper_bound, best_guess({exposure.shift * 1.414, models}));
    }
  }
}

// With little noise, as version 0.1 had it by default, nothing is hidden.
TEST(PairAttack, LevelRemovedWithLittleNoiseNamesTheRemovedGraph) {
  const RandomData data = nameless_graphs(22, 12, 2);
  const SessionOptions options = removed_with(1e-4, 1000);
  std::size_t named = 0;
  for (std::size_t victim = 0; victim < 10; ++victim) {
    Session session = game_session(data.dataset, data.embedder, options, 30 + victim);
    const Matrix before = session.release().value().weights;
    Exposure exposure;
    ASSERT_TRUE(session.forget(ForgetGraph{victim}, &exposure).ok());
    EXPECT_GT(best_guess(exposure), 0.99);
    const Matrix difference = before - session.release().value().weights;
    // Every candidate explains the difference of the two models in its own way.
    const Session all = game_session(data.dataset, data.embedder, options, 1);
    std::size_t best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t candidate = 0; candidate < data.dataset.size(); ++candidate) {
      const Session without = game_session(never_had(data.dataset, candidate), data.embedder, options, 1);
      const double unexplained = (difference - (all.weights() - without.weights())).norm();
      if (unexplained < smallest) {
        smallest = unexplained;
        best = candidate;
      }
    }
    named += best == victim ? 1 : 0;
  }
  EXPECT_EQ(named, 10u);
}

TEST(PairAttack, LevelEveryoneKeepsItsPromise) {
  if (testing::kSanitized) GTEST_SKIP() << testing::kStatistics;
  for (const auto& [classes, models] : kKinds) {
    const RandomData data = nameless_graphs(21, 40, classes);
    const SessionOptions options = everyone_with(models);
    const Promise promise = game_session(data.dataset, data.embedder, options, 1).certificate().promise;
    // The exposure is within what the models may be shifted by together.
    const Exposure exposure = exposure_of_victim(data, options, options.releases);
    const double together = promise.shift_limit * std::sqrt(static_cast<double>(models));
    EXPECT_LE(exposure.shift, together);
    const SuccessRate rate = success_rate(guess_membership(data, options, options.releases), kGames);
    EXPECT_LE(rate.lower_bound, promised_guess(promise.guarantee));
    EXPECT_LE(rate.lower_bound, best_guess({together, models}));
    // The planted fault: with a thousandth of that noise the promise would be broken, and the game shows it.
    SessionOptions broken = removed_with(promise.noise_stddev / 1000, models);
    broken.ridge = options.ridge;
    EXPECT_GT(success_rate(guess_membership(data, broken, broken.releases), kGames).lower_bound,
              promised_guess(promise.guarantee));
  }
}

}  // namespace
}  // namespace unscatter
