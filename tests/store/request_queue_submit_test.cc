// Requests that come, and keys of idempotency.
#include <gtest/gtest.h>

#include <set>

#include "store/queue_fixture.h"
#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

using Outcome = Submitted::Outcome;

class RequestQueueSubmit : public testing::QueueFixture {
 protected:
  std::size_t open_count() { return queue().view()->open.size(); }
};

TEST_F(RequestQueueSubmit, TheSameKeyAndBodyGiveTheSameAnswerAndNothingIsWritten) {
  const Submission submission = asking({ForgetSubject{"u1"}, ForgetGraph{2u}}, "key-1", "the body");
  const Submitted first = queue().submit(submission).value();
  ASSERT_EQ(first.outcome, Outcome::kTaken);
  ASSERT_EQ(first.ids.size(), 2u);
  for (const bool again : {false, true}) {
    if (again) reopen();
    const Submitted second = queue().submit(submission).value();
    EXPECT_EQ(second.outcome, Outcome::kReplayed);
    EXPECT_EQ(second.ids, first.ids);
    EXPECT_EQ(open_count(), 2u);
  }
  // Also when it is done.
  ASSERT_EQ(queue().process().value().done.size(), 2u);
  EXPECT_EQ(queue().submit(submission).value().ids, first.ids);
  expect_sound();
}

TEST_F(RequestQueueSubmit, TheSameKeyWithAnotherBodyIsAConflict) {
  ASSERT_EQ(queue().submit(asking({ForgetSubject{"u1"}}, "key-1", "one")).value().outcome, Outcome::kTaken);
  const Submitted second = queue().submit(asking({ForgetSubject{"u2"}}, "key-1", "two")).value();
  EXPECT_EQ(second.outcome, Outcome::kConflict);
  EXPECT_TRUE(second.ids.empty());
  EXPECT_EQ(open_count(), 1u);
  // Another token has keys of its own.
  Submission other = asking({ForgetSubject{"u2"}}, "key-1", "two");
  other.actor = "token-2";
  EXPECT_EQ(queue().submit(other).value().outcome, Outcome::kTaken);
}

TEST_F(RequestQueueSubmit, WithoutAKeyEverySubmissionIsNew) {
  submit(ForgetSubject{"u1"});
  submit(ForgetSubject{"u1"});
  EXPECT_EQ(open_count(), 2u);
}

TEST_F(RequestQueueSubmit, KeysAreRememberedForAsLongAsThePolicySays) {
  const Submission submission = asking({ForgetSubject{"u1"}}, "key-1", "body");
  ASSERT_EQ(queue().submit(submission).value().outcome, Outcome::kTaken);
  turn(kDay - 1);
  EXPECT_EQ(queue().submit(submission).value().outcome, Outcome::kReplayed);
  turn(1);
  EXPECT_EQ(queue().submit(submission).value().outcome, Outcome::kTaken);
  // Old ones go with the submissions of others.
  turn(2 * kDay);
  submit(ForgetSubject{"u2"});
  close();
  sample_.edit(
      [](const Database& database) { EXPECT_EQ(database.integer("SELECT count(*) FROM queue_keys").value(), 0); });
  reopen();
}

TEST_F(RequestQueueSubmit, WhatComesTogetherIsWrittenTogetherAndOneBadOneConcernsNoOther) {
  Submission nameless = asking({ForgetSubject{""}});
  Submission empty = asking({});
  Submission wrong_actor = asking({ForgetSubject{"u1"}});
  wrong_actor.actor = "a person";
  Submission long_key = asking({ForgetSubject{"u1"}}, std::string(256, 'k'));
  Submission long_text = asking({ForgetSubject{std::string(70000, 'x')}});
  const Submission twin = asking({ForgetSubject{"u3"}}, "twin", "same");
  const std::vector<Submission> all = {
      asking({ForgetSubject{"u1"}}), nameless, empty, wrong_actor, long_key, long_text, twin, twin,
      asking({ForgetGraph{1u}})};
  const std::vector<Submitted> answers = queue().submit_many(all).value();
  ASSERT_EQ(answers.size(), all.size());
  const std::vector<Outcome> expected = {Outcome::kTaken,   Outcome::kRefused,  Outcome::kRefused,
                                         Outcome::kRefused, Outcome::kRefused,  Outcome::kRefused,
                                         Outcome::kTaken,   Outcome::kReplayed, Outcome::kTaken};
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(answers[i].outcome, expected[i]) << i;
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(answers[i].error.value().code, ErrorCode::kInvalidArgument) << i;
  EXPECT_EQ(answers[7].ids, answers[6].ids);
  EXPECT_EQ(open_count(), 3u);
  EXPECT_EQ(queue().version(), 1u) << "more than one transaction";
  expect_sound();
  EXPECT_EQ(open_count(), 3u);
}

TEST_F(RequestQueueSubmit, AFullQueueTakesAllOfASubmissionOrNothing) {
  QueuePolicy policy;
  policy.most_open = 3;
  change_policy(policy);
  submit(ForgetSubject{"u1"});
  const Submitted two_more =
      queue().submit(asking({ForgetSubject{"u2"}, ForgetSubject{"u3"}, ForgetGraph{1u}})).value();
  EXPECT_EQ(two_more.outcome, Outcome::kRefused);
  EXPECT_EQ(two_more.error.value().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(open_count(), 1u);
  submit(ForgetSubject{"u2"});
  submit(ForgetSubject{"u3"});
  EXPECT_EQ(queue().submit(asking({ForgetGraph{1u}})).value().outcome, Outcome::kRefused);
  ASSERT_TRUE(queue().process().ok());
  submit(ForgetGraph{1u});
}

// A key may hold a name, and so may a body.
TEST_F(RequestQueueSubmit, NeitherKeysNorBodiesStandInTheFile) {
  const std::string key = "erase-ANNA-KEYNAME-now";
  const std::string body = "{\"person\":\"ANNA-BODYNAME\"}";
  ASSERT_EQ(queue().submit(asking({ForgetSubject{"ANNA-OPENNAME"}}, key, body)).value().outcome, Outcome::kTaken);
  close();
  const std::string file = sample_.bytes();
  EXPECT_EQ(file.find("KEYNAME"), std::string::npos);
  EXPECT_EQ(file.find("BODYNAME"), std::string::npos);
  // Enciphered, as request_queue_texts.h says.
  EXPECT_EQ(file.find("OPENNAME"), std::string::npos);
  reopen();
  EXPECT_NE(queue().view()->open.at(0)->text.find("ANNA-OPENNAME"), std::string::npos);
}

TEST_F(RequestQueueSubmit, IdsAreNotTheSameBytesTwice) {
  std::set<RequestId> ids;
  for (int i = 0; i < 200; ++i) ids.insert(submit(ForgetSubject{"u1"}));
  EXPECT_EQ(ids.size(), 200u);
}

}  // namespace
}  // namespace unscatter
