#include "unscatter/unlearn/promise.h"

#include <gtest/gtest.h>

#include <memory>

#include "unlearn/random_session.h"
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
    EXPECT_EQ(first.releases, covered_releases(options));
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

}  // namespace
}  // namespace unscatter
