// Events for webhooks, and what is dropped when it is old.
#include <gtest/gtest.h>

#include <limits>

#include "store/queue_fixture.h"

namespace unscatter {
namespace {

using enum RequestState;

class RequestQueueOutbox : public testing::QueueFixture {
 protected:
  RequestQueueOutbox() {
    policy_.events = true;
    change_policy(policy_);
  }
  std::vector<QueueEvent> pending(std::int64_t until = std::numeric_limits<std::int64_t>::max()) {
    return queue().due_events(until, 1000).value();
  }
  QueuePolicy policy_;
};

TEST_F(RequestQueueOutbox, EveryChangeOfAStateIsToldOnce) {
  const RequestId id = submit(ForgetSubject{"u1"});
  ASSERT_TRUE(queue().extend(id, "operator", RequestNote::kComplex).ok());
  ASSERT_TRUE(queue().process().ok());
  reopen();
  std::vector<RequestState> states;
  std::vector<Delivery> deliveries;
  for (const QueueEvent& event : pending()) {
    EXPECT_EQ(event.request, id);
    EXPECT_EQ(event.attempts, 0u);
    states.push_back(event.state);
    deliveries.push_back({event.number, Delivery::Outcome::kDelivered, 0});
  }
  EXPECT_EQ(states, (std::vector<RequestState>{kReceived, kQueued, kQueued, kDone}));
  EXPECT_EQ(queue().view()->statistics.pending_events, 4u);
  ASSERT_TRUE(queue().settle(deliveries).ok());
  ASSERT_TRUE(queue().settle(deliveries).ok()) << "what is delivered twice is passed over";
  EXPECT_TRUE(pending().empty());
  expect_sound();
  EXPECT_TRUE(pending().empty());
  EXPECT_EQ(queue().view()->statistics.pending_events, 0u);
}

TEST_F(RequestQueueOutbox, AnEventOfAClockThatWentBackIsDue) {
  submit(ForgetSubject{"u1"});
  const std::vector<QueueEvent> all = pending();
  ASSERT_EQ(all.size(), 2u);
  constexpr std::int64_t kPause = 7200;
  const auto due = [&](std::int64_t time, std::size_t limit = 10) {
    return queue().due_events(time, limit, kPause).value();
  };
  EXPECT_EQ(due(now()), all);
  EXPECT_TRUE(due(now() - kPause).empty()) << "it may have been put off so far";
  EXPECT_EQ(due(now() - kPause - 1), all);
  EXPECT_EQ(due(now() - std::int64_t{40} * 86400, 1).size(), 1u);
  const Delivery never{all[0].number, Delivery::Outcome::kGiveUp, 0};
  ASSERT_TRUE(queue().settle(std::span(&never, 1)).ok());
  EXPECT_EQ(due(now() - std::int64_t{40} * 86400).size(), 1u) << "what was given up is never due";
}

TEST_F(RequestQueueOutbox, ADeliveryThatFailedIsTriedLaterAndThenGivenUp) {
  submit(ForgetSubject{"u1"});
  const std::uint64_t number = pending().at(0).number;
  const Delivery later{number, Delivery::Outcome::kTryAgain, now() + 100};
  ASSERT_TRUE(queue().settle(std::span(&later, 1)).ok());
  EXPECT_EQ(pending(now()).size(), 1u);
  ASSERT_EQ(pending(now() + 100).size(), 2u);
  EXPECT_EQ(pending(now() + 100).back().attempts, 1u);
  const Delivery never{number, Delivery::Outcome::kGiveUp, 0};
  ASSERT_TRUE(queue().settle(std::span(&never, 1)).ok());
  EXPECT_EQ(pending().size(), 1u);
  reopen();
  EXPECT_EQ(pending().size(), 1u);
  EXPECT_EQ(queue().view()->statistics.pending_events, 1u);
  expect_sound();
}

TEST_F(RequestQueueOutbox, WithoutWebhooksTheOutboxStaysEmpty) {
  policy_.events = false;
  change_policy(policy_);
  submit(ForgetSubject{"u1"});
  EXPECT_TRUE(pending().empty());
}

TEST_F(RequestQueueOutbox, FinishedRequestsAreDroppedWhenThePolicySaysSo) {
  const RequestId old = submit(ForgetSubject{"u1"});
  const RequestId open = submit(ForgetSubject{"u9"});
  ASSERT_TRUE(queue().cancel(old, "operator").ok());
  for (const QueueEvent& event : pending()) {
    const Delivery never{event.number, Delivery::Outcome::kGiveUp, 0};
    ASSERT_TRUE(queue().settle(std::span(&never, 1)).ok());
  }
  turn(1000 * kDay);
  EXPECT_EQ(queue().drop_finished().value(), 0u) << "kept by default";
  policy_.keep_days = 100;
  change_policy(policy_);
  const RequestId fresh = submit(ForgetSubject{"u2"});
  ASSERT_TRUE(queue().cancel(fresh, "operator").ok());
  EXPECT_EQ(queue().drop_finished().value(), 1u);
  EXPECT_EQ(queue().find(old).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(state_of(fresh), kCancelled);
  EXPECT_EQ(state_of(open), kQueued) << "an open request is never dropped";
  EXPECT_EQ(queue().view()->statistics.by_state[7], 2u);
  expect_sound();
  EXPECT_EQ(queue().view()->statistics.by_state[7], 2u);
  close();
  sample_.edit([](const Database& database) {
    EXPECT_EQ(database.integer("SELECT count(*) FROM queue_events WHERE next_attempt = 9223372036854775807").value(),
              0);
  });
  reopen();
}

}  // namespace
}  // namespace unscatter
