// Games between sessions that are made by hand, so that the truth is known.
#include "audit/game.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/grid_noise.h"
#include "support/sanitized.h"
#include "unlearn/random_session.h"

namespace unscatter {
namespace {

using testing::random_data;
using testing::RandomData;

// Wrong with this probability, in every test here.
constexpr double kError = 1e-6;

SessionOptions with_noise(double stddev) {
  SessionOptions options;
  options.noise_stddev = stddev;
  return options;
}

GameSetting setting_of(const Session& session, double promised) {
  GameSetting setting;
  setting.guarantee = session.options().guarantee;
  setting.promised_shift = promised;
  setting.noise_stddev = session.options().noise_stddev;
  setting.grid = GridNoise::create(setting.noise_stddev).value().grid();
  setting.regions = regions_of_model(session.weights().rows(), session.weights().cols());
  setting.draws = 20000;
  setting.error = kError;
  return setting;
}

// Two worlds of one session each.
GameOutcome play_sessions(const Session& reference, const Session& test, const RandomData& data, double promised) {
  const GameSetting setting = setting_of(reference, promised);
  const auto never = PublishingWorld::create({&reference}, data.embedder, setting.draws).value();
  const auto other = PublishingWorld::create({&test}, data.embedder, setting.draws).value();
  return play(*never, *other, setting).value();
}

TEST(AuditGame, ASessionThatForgotPasses) {
  const RandomData data = random_data(1);
  Session session = Session::create(data.dataset, data.embedder, {}).value();
  ASSERT_TRUE(session.forget(ForgetGraph{3u}).ok());
  const Session retrained = Session::create(session.remaining(), data.embedder, {}).value();
  const GameOutcome outcome = play_sessions(retrained, session, data, session.certificate().promise.shift_limit);
  EXPECT_TRUE(outcome.report.passed());
  EXPECT_FALSE(outcome.report.exceeded);
  ASSERT_EQ(outcome.controls.size(), 2u);
  EXPECT_TRUE(outcome.controls[0].passed);
  EXPECT_TRUE(outcome.controls[1].passed);
  EXPECT_GT(outcome.controls[1].shift_lower_bound, 0.5);
  EXPECT_LE(outcome.controls[1].shift_lower_bound, 1);
}

// The session kept the weights of before: the fault goes through restore() and release().
TEST(AuditGame, AStaleModelIsAboveThePromise) {
  const RandomData data = random_data(1);
  Session session = Session::create(data.dataset, data.embedder, {}).value();
  const Matrix stale = session.weights();
  ASSERT_TRUE(session.forget(ForgetGraph{3u}).ok());
  const Session retrained = Session::create(session.remaining(), data.embedder, {}).value();
  const Session faulty = copy_of(session, data.embedder, session.options(), nullptr, &stale).value();
  const GameOutcome outcome = play_sessions(retrained, faulty, data, session.certificate().promise.shift_limit);
  EXPECT_TRUE(outcome.report.exceeded);
  EXPECT_FALSE(outcome.report.passed());
  EXPECT_GT(outcome.report.epsilon_lower_bound, session.options().guarantee.epsilon);
}

// A shift between the visible and the huge: weights a known distance away.  The bound must lie below the truth.
TEST(AuditGame, AShiftIsFoundAndNotExaggerated) {
  const RandomData data = random_data(2);
  const Session session = Session::create(data.dataset, data.embedder, {}).value();
  for (const double mu : {0.5, 1.0, 2.0}) {
    if (testing::kSanitized && mu > 0.5) break;  // the same code with another number
    Matrix moved = session.weights();
    moved.array() += mu * session.options().noise_stddev / std::sqrt(static_cast<double>(moved.size()));
    const Session other = copy_of(session, data.embedder, session.options(), nullptr, &moved).value();
    const GameOutcome outcome = play_sessions(session, other, data, 0.1);
    EXPECT_GT(outcome.report.shift_lower_bound, mu / 2);
    EXPECT_LE(outcome.report.shift_lower_bound, mu);
    EXPECT_TRUE(outcome.report.exceeded);
    EXPECT_LE(outcome.report.epsilon_lower_bound,
              smallest_epsilon_upper_bound(mu, session.options().guarantee.delta).value());
  }
}

TEST(AuditGame, EveryoneTellsAPairApartWhereTheNoiseIsSmall) {
  const RandomData data = random_data(3);
  const Session session = Session::create(data.dataset, data.embedder, with_noise(1e-4)).value();
  AuditOptions options;
  options.draws = 2000;
  const GameOutcome outcome = play_everyone(session, data.embedder, 2, 0.3139, options, kError).value();
  EXPECT_TRUE(outcome.report.exceeded);
  EXPECT_GT(outcome.report.shift_lower_bound, 3);
  EXPECT_EQ(outcome.report.requests.total(), 1u);
  // It is the model from before that gives x away.  The one from after is as good as retrained.
  ASSERT_EQ(outcome.report.looks.size(), 3u);
  EXPECT_EQ(outcome.report.looks[1].name, "model before");
  EXPECT_GT(outcome.report.looks[1].shift_lower_bound, 3);
  EXPECT_LT(outcome.report.looks[2].shift_lower_bound, 0.3139);
  for (const AuditControl& control : outcome.controls) EXPECT_TRUE(control.passed) << control.name;
  for (const NoiseCheck& check : outcome.report.noise) EXPECT_TRUE(check.passed) << check.name << check.detail;
}

// Weights do not depend on the noise, so the noise can be chosen for a shift of 0.25.
TEST(AuditGame, EveryoneStaysBelowThePromiseWhereTheNoiseIsLargeEnough) {
  const RandomData data = random_data(3);
  AuditOptions options;
  options.draws = 2000;
  const Session probe = Session::create(data.dataset, data.embedder, with_noise(1e-4)).value();
  const GameOutcome near = play_everyone(probe, data.embedder, 2, 0.3139, options, kError).value();
  const double noise = near.report.looks.front().known_shift * 1e-4 / 0.25;
  const Session session = Session::create(data.dataset, data.embedder, with_noise(noise)).value();
  const GameOutcome outcome = play_everyone(session, data.embedder, 2, 0.3139, options, kError).value();
  EXPECT_NEAR(outcome.report.looks.front().known_shift, 0.25, 1e-3);
  EXPECT_TRUE(outcome.report.passed());
  EXPECT_FALSE(outcome.report.exceeded);
}

TEST(AuditGame, LargeModelsAreDrawnLessOftenAndNeverLessThanAThousandTimes) {
  EXPECT_EQ(affordable_draws(20000, 100), 20000u);
  EXPECT_EQ(affordable_draws(20001, 100), 20002u);
  EXPECT_EQ(affordable_draws(20000, 20000), 10000u);
  EXPECT_EQ(affordable_draws(20000, 100'000'000), 1000u);
}

}  // namespace
}  // namespace unscatter
