#include "unscatter/unlearn/promise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "unlearn/random_session.h"
#include "unscatter/privacy/gaussian_profile.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

TEST(Promise, NamesRoundTripAndAreDistinct) {
  for (const Mechanism m : {Mechanism::kRelease, Mechanism::kObjective}) EXPECT_EQ(parse_mechanism(name(m)).value(), m);
  for (const BudgetRule r : {BudgetRule::kJoint, BudgetRule::kPaper}) EXPECT_EQ(parse_budget_rule(name(r)).value(), r);
  EXPECT_NE(name(Mechanism::kRelease), name(Mechanism::kObjective));
  EXPECT_NE(name(BudgetRule::kJoint), name(BudgetRule::kPaper));
}

TEST(Promise, AnUnknownNameIsRefusedWithTheChoices) {
  for (const std::string_view text : {"", "Release", "release ", "x"}) {
    const Error error = parse_mechanism(text).error();
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_NE(error.message.find("release, objective"), std::string::npos) << error.message;
  }
  EXPECT_NE(parse_budget_rule("fair").error().message.find("'fair'"), std::string::npos);
}

// Nobody is promised anything by forgetting to fill in a field.
TEST(Promise, StartsAsNone) {
  const Promise empty;
  EXPECT_EQ(empty.shift_limit, 0);
  EXPECT_EQ(empty.releases, 0u);
  EXPECT_FALSE(check_guarantee(empty.guarantee).ok());
}

// The certificate, the published model and a restored session say the same, which is what the options say.
TEST(Promise, IsTheSameWhereverASessionShowsIt) {
  const testing::RandomData data = testing::random_data(3, {.graphs = 12, .attributes = 1});
  for (const SessionOptions& options : {SessionOptions{}, paper_options(1e-2, 2)}) {
    Session session = Session::create(data.dataset, data.embedder, options).value();
    const Promise first = session.certificate().promise;
    EXPECT_EQ(first.mechanism, options.mechanism);
    EXPECT_EQ(first.rule, options.rule);
    EXPECT_EQ(first.guarantee.epsilon, options.guarantee.epsilon);
    EXPECT_EQ(first.guarantee.delta, options.guarantee.delta);
    EXPECT_EQ(first.noise_stddev, options.noise_stddev);
    EXPECT_EQ(first.releases, options.mechanism == Mechanism::kRelease ? options.releases : 1);
    EXPECT_GT(first.shift_limit, 0);
    EXPECT_LE(first.delta_for_shift, options.guarantee.delta);
    EXPECT_FALSE(first.assumptions.empty());

    ASSERT_TRUE(session.forget(ForgetNode{0u, 0u}).ok());
    SessionSnapshot snapshot = session.snapshot();
    snapshot.certificate.promise = {};  // a session does not have to be told
    Session restored = Session::restore(snapshot, data.embedder, options).value();
    for (const Promise& other : {session.certificate().promise, session.release().value().promise,
                                 restored.certificate().promise, restored.release().value().promise}) {
      EXPECT_EQ(other.shift_limit, first.shift_limit);
      EXPECT_EQ(other.delta_for_shift, first.delta_for_shift);
      EXPECT_EQ(other.rule, first.rule);
      EXPECT_EQ(other.releases, first.releases);
      EXPECT_EQ(other.assumptions, first.assumptions);
    }
  }
}

Promise promise_of(const SessionOptions& options) {
  const testing::RandomData data = testing::random_data(3, {.graphs = 12, .attributes = 1});
  return Session::create(data.dataset, data.embedder, options).value().certificate().promise;
}

// The number is valid, and no smaller one is: delta(epsilon; mu) with mu^2 the sum over counts, and the grid beside it.
TEST(SeveralCounts, TheCommonPromiseIsTheSmallestThatHolds) {
  for (const std::size_t counts : {1u, 2u, 9u}) {
    SessionOptions options;
    options.releases = 10;
    const Promise alone = promise_of(options);
    EXPECT_FALSE(alone.together.has_value());
    options.earlier.assign(counts, ended(alone, 7));
    const Promise promise = promise_of(options);
    ASSERT_TRUE(promise.together.has_value());
    EXPECT_EQ(promise.shift_limit, alone.shift_limit);
    EXPECT_NEAR(promise.together->delta, static_cast<double>(counts + 1) * alone.guarantee.delta, 1e-18);
    const double shift = alone.shift_limit * std::sqrt(10.0 * static_cast<double>(counts + 1));
    const double epsilon = promise.together->epsilon;
    EXPECT_LE(delta_upper_bound(shift, epsilon).value(), promise.together->delta);
    EXPECT_GT(delta_upper_bound(shift, epsilon * (1 - 1e-4)).value(), promise.together->delta * (1 - 1e-3));
    EXPECT_EQ(published_in(promise.earlier), 7 * counts);
  }
}

// Charged in full, whether or not all models were published, and for more if more were.
TEST(SeveralCounts, ACountIsChargedForAllThatItCovers) {
  SessionOptions options;
  options.releases = 10;
  const Promise promise = promise_of(options);
  EXPECT_EQ(ended(promise, 0).shift, ended(promise, 10).shift);
  EXPECT_GE(ended(promise, 0).shift, promise.shift_limit * std::sqrt(10.0));
  EXPECT_GT(ended(promise, 11).shift, ended(promise, 10).shift);
  EXPECT_EQ(ended(promise, 11).releases, 11u);
  EXPECT_GT(ended(promise, 0).grid_delta, 0);
}

TEST(SeveralCounts, OfDifferentKindsHaveNoCommonPromise) {
  SessionOptions options;
  const EarlierCount sound = ended(promise_of(options), 1);
  EarlierCount objective = ended(promise_of(paper_options(1e-2, 2)), 1);
  EXPECT_EQ(objective.shift, 0);
  options.earlier = {sound, objective};
  EXPECT_FALSE(promise_of(options).together.has_value());
  EarlierCount everyone = sound;
  everyone.protection = Protection::kEveryone;
  options.earlier = {everyone};
  EXPECT_FALSE(promise_of(options).together.has_value());
  options.earlier = {sound};
  EXPECT_TRUE(promise_of(options).together.has_value());
  // Numbers that no count has are refused.
  options.earlier[0].published = options.earlier[0].releases + 1;
  EXPECT_FALSE(check_options(options).ok());
}

// Basic composition, by hand: both epsilons and both deltas add up.  Rounded up, never down.
TEST(RowsMadeOutside, TheFunctionAddsItsEpsilonAndDelta) {
  Promise promise;
  promise.guarantee = {1, 1e-8};
  EXPECT_FALSE(guarantee_with_embedding(promise).has_value());
  for (const RemovalGuarantee learned : {RemovalGuarantee{0, 0}, RemovalGuarantee{0.1, 1e-9}, RemovalGuarantee{7, 0}}) {
    promise.embedding = learned;
    const RemovalGuarantee both = guarantee_with_embedding(promise).value();
    EXPECT_GE(both.epsilon, static_cast<long double>(1) + learned.epsilon);
    EXPECT_GE(both.delta, static_cast<long double>(1e-8) + learned.delta);
    EXPECT_NEAR(both.epsilon, 1 + learned.epsilon, 1e-14);
    EXPECT_NEAR(both.delta, 1e-8 + learned.delta, 1e-22);
  }
  // With earlier counts it is their joint promise that the function adds to, and there may be none.
  promise.embedding = RemovalGuarantee{0.5, 0};
  promise.earlier.resize(1);
  EXPECT_FALSE(guarantee_with_embedding(promise).has_value());
  promise.together = RemovalGuarantee{3, 1e-7};
  EXPECT_GE(guarantee_with_embedding(promise)->epsilon, 3.5);
  // A delta of 1 allows everything, so nothing is promised.
  promise.embedding = RemovalGuarantee{0.5, 0.9999999999};
  EXPECT_FALSE(guarantee_with_embedding(promise).has_value());
}

// The theorem's inequality, where all laws can be written down: rows of one bit from randomised response on the bit of
// the subject, and a model that is randomised response on what is left.  No outcome exceeds the sum, and one meets it,
// so that nothing smaller would do.
TEST(RowsMadeOutside, TheSumHoldsAndNothingSmallerDoes) {
  const double learned = 0.7;
  const double removed = 0.4;
  const auto share = [](double epsilon, bool same) {
    return same ? std::exp(epsilon) / (1 + std::exp(epsilon)) : 1 / (1 + std::exp(epsilon));
  };
  Promise promise;
  promise.guarantee = {removed, 0};
  promise.embedding = RemovalGuarantee{learned, 0};
  const double promised = guarantee_with_embedding(promise)->epsilon;
  double largest = 0;
  for (const bool function : {false, true}) {
    for (const bool model : {false, true}) {
      // With the subject the function leans to 1, without it to 0.  Under every function the unlearned model leans to
      // 1, and the retrained one to 0.
      const double real = share(learned, function) * share(removed, model);
      const double ideal = share(learned, !function) * share(removed, !model);
      const double ratio = std::max(std::log(real / ideal), std::log(ideal / real));
      EXPECT_LE(ratio, promised + 1e-12);
      largest = std::max(largest, ratio);
    }
  }
  EXPECT_NEAR(largest, promised, 1e-12);
}

}  // namespace
}  // namespace unscatter
