#include "audit/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "audit/noise_watch.h"
#include "base/testing/seeded_random.h"
#include "unlearn/random_session.h"

namespace unscatter {
namespace {

using testing::random_data;
using testing::RandomData;

Session session_of(const RandomData& data, const SessionOptions& options = {}) {
  return Session::create(data.dataset, data.embedder, options).value();
}

bool passes(const std::vector<NoiseCheck>& checks, std::string_view name) {
  for (const NoiseCheck& check : checks) {
    if (check.name == name) return check.passed;
  }
  ADD_FAILURE() << "no check " << name;
  return false;
}

TEST(AuditWorld, ACopySharesNothing) {
  const RandomData data = random_data(1);
  Session session = session_of(data);
  ASSERT_TRUE(session.release().ok());
  const Matrix before = session.weights();
  Session copy = copy_of(session, data.embedder, session.options()).value();
  EXPECT_EQ(copy.weights(), before);
  EXPECT_EQ(copy.releases(), 0u);
  ASSERT_TRUE(copy.forget(ForgetGraph{2u}).ok());
  ASSERT_TRUE(copy.release().ok());
  EXPECT_EQ(session.weights(), before);
  EXPECT_EQ(session.releases(), 1u);
  EXPECT_TRUE(session.has_graph(2));
}

TEST(AuditWorld, PublishesMoreOftenThanTheSessionMay) {
  const RandomData data = random_data(1);
  for (const std::size_t releases : {1u, 3u, 1000u}) {
    SessionOptions options;
    options.releases = releases;
    const Session session = session_of(data, options);
    const auto world = PublishingWorld::create({&session}, data.embedder, 5000).value();
    NoiseWatch watch(world->centre(), world->centre(), options.noise_stddev, std::nullopt);
    for (int i = 0; i < 500; ++i) {
      const Matrix first = world->observe().value();
      watch.see(first, world->observe().value());
    }
    for (const NoiseCheck& check : watch.report()) EXPECT_TRUE(check.passed) << releases << check.name << check.detail;
    EXPECT_EQ(session.releases(), 0u);
  }
}

TEST(AuditWorld, APairIsTwoModelsSideBySide) {
  const RandomData data = random_data(1);
  const Session with = session_of(data);
  Session after = session_of(data);
  ASSERT_TRUE(after.forget(ForgetGraph{0u}).ok());
  const auto world = PublishingWorld::create({&with, &after}, data.embedder, 10).value();
  ASSERT_EQ(world->centre().cols(), 4);
  EXPECT_EQ(world->centre().leftCols(2), with.weights());
  EXPECT_EQ(world->centre().rightCols(2), after.weights());
  EXPECT_LT((world->observe().value() - world->centre()).cwiseAbs().maxCoeff(), 10 * with.options().noise_stddev);
}

// The fault goes through Session::release(): a source that begins again with every model.
TEST(AuditWorld, SeededNoiseIsNoticed) {
  using Shared = std::shared_ptr<std::unique_ptr<testing::SeededRandom>>;
  class Seeded final : public RandomSource {
   public:
    explicit Seeded(Shared source) : source_(std::move(source)) {}
    void fill(std::span<std::byte> bytes) override { (*source_)->fill(bytes); }

   private:
    Shared source_;
  };
  const RandomData data = random_data(1);
  const Session session = session_of(data);
  const auto source = std::make_shared<std::unique_ptr<testing::SeededRandom>>();
  const auto world = PublishingWorld::create({&session}, data.embedder, 400, [&source] {
                       return std::make_unique<Seeded>(source);
                     }).value();
  for (const bool begins_again : {false, true}) {
    *source = std::make_unique<testing::SeededRandom>(7);
    NoiseWatch watch(world->centre(), world->centre(), session.options().noise_stddev, std::nullopt);
    const auto observe = [&] {
      if (begins_again) *source = std::make_unique<testing::SeededRandom>(7);
      return world->observe().value();
    };
    for (int i = 0; i < 200; ++i) {
      const Matrix first = observe();
      watch.see(first, observe());
    }
    EXPECT_EQ(passes(watch.report(), "repeats"), !begins_again);
    EXPECT_EQ(passes(watch.report(), "worlds"), !begins_again);
  }
}

// The fault is in the session's own options: it adds half of the noise that is stated.
TEST(AuditWorld, HalfTheNoiseIsNoticed) {
  const RandomData data = random_data(1);
  SessionOptions half;
  half.noise_stddev = 0.5e-4;
  const Session session = session_of(data, half);
  const auto world = PublishingWorld::create({&session}, data.embedder, 200).value();
  NoiseWatch watch(world->centre(), world->centre(), 1e-4, std::nullopt);
  for (int i = 0; i < 100; ++i) {
    const Matrix first = world->observe().value();
    watch.see(first, world->observe().value());
  }
  EXPECT_FALSE(passes(watch.report(), "size"));
  EXPECT_FALSE(passes(watch.report(), "classes"));
  EXPECT_FALSE(passes(watch.report(), "coordinates"));
}

// What an observer computes from the weights of the objective mechanism is the noise of the objective.
TEST(AuditWorld, TrainingsGiveTheirNoiseAway) {
  const RandomData data = random_data(1, {.graphs = 14, .attributes = 1});
  const SessionOptions options = paper_options(1e-2, 2);
  const auto world = TrainingWorld::create(data.dataset, {}, data.embedder, options).value();
  EXPECT_LT(world->centre().norm(), 1e-6 * options.noise_stddev);
  NoiseWatch watch(world->centre(), world->centre(), options.noise_stddev, std::nullopt);
  for (int i = 0; i < 100; ++i) {
    const Matrix first = world->observe().value();
    watch.see(first, world->observe().value());
  }
  for (const NoiseCheck& check : watch.report()) EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
}

}  // namespace
}  // namespace unscatter
