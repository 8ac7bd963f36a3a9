#include <gtest/gtest.h>

#include <functional>

#include "store/queue_fixture.h"
#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

class RequestQueuePolicy : public testing::QueueFixture {};

TEST_F(RequestQueuePolicy, EveryFieldHasItsRange) {
  EXPECT_TRUE(check_policy({}).ok());
  const auto refused = [](const std::function<void(QueuePolicy&)>& change, const std::string& field) {
    QueuePolicy policy;
    change(policy);
    const Status status = check_policy(policy);
    EXPECT_FALSE(status.ok()) << field;
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(status.error().message.find(field), std::string::npos) << status.error().message;
    }
  };
  refused([](QueuePolicy& policy) { policy.days = 0; }, "days");
  refused([](QueuePolicy& policy) { policy.days = 3651; }, "days");
  refused([](QueuePolicy& policy) { policy.extension_days = -1; }, "extension_days");
  refused([](QueuePolicy& policy) { policy.extension_days = 31; }, "most_days");
  refused([](QueuePolicy& policy) { policy.most_open = 0; }, "most_open");
  refused([](QueuePolicy& policy) { policy.key_hours = 23; }, "key_hours");
  refused([](QueuePolicy& policy) { policy.keep_days = 0; }, "keep_days");
}

TEST_F(RequestQueuePolicy, ItIsSpelledInOneWay) {
  QueuePolicy policy;
  policy.keep_days = 400;
  policy.verify = true;
  EXPECT_EQ(parse_policy(policy_text(policy)).value(), policy);
  EXPECT_EQ(parse_policy(policy_text({})).value(), QueuePolicy());
  EXPECT_FALSE(parse_policy(policy_text({}) + " ").ok());
  EXPECT_FALSE(parse_policy("{\"days\":30}").ok());
  EXPECT_FALSE(parse_policy("[]").ok());
}

TEST_F(RequestQueuePolicy, ItOutlivesTheProcessAndAWrongOneChangesNothing) {
  QueuePolicy policy;
  policy.days = 7;
  policy.extension_days = 14;
  policy.verify = true;
  change_policy(policy);
  QueuePolicy wrong = policy;
  wrong.days = -3;
  EXPECT_EQ(queue().set_policy(wrong).error().code, ErrorCode::kInvalidArgument);
  reopen();
  EXPECT_EQ(queue().view()->policy, policy);
}

TEST_F(RequestQueuePolicy, DueDatesFollowThePolicyOfTheDayOfArrival) {
  const RequestId early = submit(ForgetSubject{"u0"});
  QueuePolicy policy;
  policy.days = 10;
  change_policy(policy);
  const RequestId late = submit(ForgetSubject{"u1"});
  EXPECT_EQ(find(early).due, now() + 30 * kDay);
  EXPECT_EQ(find(late).due, now() + 10 * kDay);
  EXPECT_EQ(queue().view()->statistics.next_due, now() + 10 * kDay);
}

TEST_F(RequestQueuePolicy, ADueDateIsExtendedOnceAndNotWhenItIsOver) {
  const RequestId id = submit(ForgetSubject{"u0"});
  const RequestId other = submit(ForgetSubject{"u1"});
  EXPECT_EQ(queue().extend(id, "operator", RequestNote::kWithdrawn).error().code, ErrorCode::kInvalidArgument);
  turn(29 * kDay);
  const QueuedRequest extended = queue().extend(id, "operator", RequestNote::kComplex).value();
  EXPECT_TRUE(extended.extended);
  EXPECT_EQ(extended.due, extended.received + 60 * kDay);
  EXPECT_EQ(extended.first_due, extended.received + 30 * kDay);
  EXPECT_EQ(extended.history.back(),
            (RequestChange{now(), RequestState::kQueued, RequestState::kQueued, "operator", RequestNote::kComplex}));
  EXPECT_EQ(queue().extend(id, "operator", RequestNote::kComplex).error().code, ErrorCode::kInvalidArgument);
  turn(kDay);
  EXPECT_EQ(queue().extend(other, "operator", RequestNote::kManyRequests).error().code, ErrorCode::kInvalidArgument);
  QueuePolicy none;
  none.extension_days = 0;
  change_policy(none);
  const RequestId third = submit(ForgetSubject{"u2"});
  EXPECT_EQ(queue().extend(third, "operator", RequestNote::kComplex).error().code, ErrorCode::kInvalidArgument);
  expect_sound();
  EXPECT_EQ(find(id).due, extended.due);
}

// A clock that jumps loses no request, changes no due date and breaks no history.
TEST_F(RequestQueuePolicy, AClockThatJumpsIsSurvived) {
  const RequestId first = submit(ForgetSubject{"u0"});
  const std::int64_t due = find(first).due;
  turn(std::int64_t{-10} * 365 * kDay);
  const RequestId second = submit(ForgetSubject{"u1"});
  EXPECT_EQ(find(second).due, now() + 30 * kDay);
  EXPECT_EQ(queue().view()->overdue(now()), 0u);
  reopen();
  EXPECT_EQ(find(first).due, due);
  // Done before it was received, as the clock has it.
  EXPECT_EQ(queue().process().value().done.size(), 2u);
  const QueueStatistics statistics = queue().view()->statistics;
  EXPECT_EQ(statistics.latencies[0], 2u);
  EXPECT_EQ(statistics.days.size(), 2u);
  turn(std::int64_t{30} * 365 * kDay);
  const RequestId third = submit(ForgetSubject{"u2"});
  EXPECT_EQ(find(third).due, now() + 30 * kDay);
  *time_ = -5;  // before 1970
  const RequestId fourth = submit(ForgetSubject{"u3"});
  EXPECT_EQ(queue().view()->statistics.days.front().day, -1);
  EXPECT_EQ(queue().process().value().done.size(), 2u);
  EXPECT_EQ(find(third).number + 1, find(fourth).number);
  expect_sound();
}

}  // namespace
}  // namespace unscatter
