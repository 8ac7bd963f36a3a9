// Moves by people, and what a queue keeps over time.
#include "unscatter/store/request_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "store/queue_fixture.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using enum RequestState;

class RequestQueueMoves : public testing::QueueFixture {
 protected:
  // A request in this state.
  RequestId request_in(RequestState state) {
    QueuePolicy policy;
    policy.verify = state == kReceived;
    change_policy(policy);
    const RequestId id = submit(ForgetSubject{state == kAlreadyAbsent ? "nobody" : "u" + std::to_string(next_++)});
    if (state == kCancelled) static_cast<void>(queue().cancel(id, "operator").value());
    if (state == kRefused) static_cast<void>(queue().refuse(id, "operator", RequestNote::kMustBeKept).value());
    if (state == kDone || state == kAlreadyAbsent) static_cast<void>(queue().process().value());
    EXPECT_EQ(state_of(id), state);
    return id;
  }
  int next_ = 0;
};

TEST_F(RequestQueueMoves, EveryMoveByAPersonIsAllowedWhereTheTableSaysSo) {
  struct Act {
    std::string name;
    std::set<RequestState> from;
    std::function<Result<QueuedRequest>(const RequestId&)> act;
    std::optional<RequestState> to;
  };
  const std::set<RequestState> open = {kReceived, kQueued};
  const std::vector<Act> acts = {
      {"verify", {kReceived}, [&](const RequestId& id) { return queue().verify(id, "operator"); }, kQueued},
      {"cancel", open, [&](const RequestId& id) { return queue().cancel(id, "operator"); }, kCancelled},
      {"refuse", open,
       [&](const RequestId& id) { return queue().refuse(id, "operator", RequestNote::kIdentityNotShown); }, kRefused},
      {"try again", {}, [&](const RequestId& id) { return queue().try_again(id, "operator"); }, kQueued},
      {"extend", open, [&](const RequestId& id) { return queue().extend(id, "operator", RequestNote::kComplex); }, {}},
  };
  for (const RequestState state : {kReceived, kQueued, kDone, kAlreadyAbsent, kRefused, kCancelled}) {
    for (const Act& act : acts) {
      SCOPED_TRACE(act.name + " a request that is " + std::string(request_state_name(state)));
      const RequestId id = request_in(state);
      const std::uint64_t version = queue().version();
      const std::size_t changes = find(id).history.size();
      const Result<QueuedRequest> after = act.act(id);
      ASSERT_EQ(after.ok(), act.from.contains(state));
      if (!after.ok()) {
        EXPECT_EQ(after.error().code, ErrorCode::kInvalidArgument);
        EXPECT_EQ(queue().version(), version);
        EXPECT_EQ(find(id).history.size(), changes);
        EXPECT_EQ(state_of(id), state);
      } else {
        EXPECT_EQ(after->state, act.to.value_or(state));
        EXPECT_EQ(state_of(id), act.to.value_or(state));
        EXPECT_GT(after->history.size(), changes);
      }
      if (!is_final(state_of(id))) static_cast<void>(queue().cancel(id, "operator").value());
    }
  }
  expect_sound();
}

TEST_F(RequestQueueMoves, AHistoryTellsEveryChange) {
  QueuePolicy policy;
  policy.verify = true;
  change_policy(policy);
  const std::int64_t received = now();
  const RequestId id = submit(ForgetSubject{"u1"});
  EXPECT_EQ(state_of(id), kReceived);
  EXPECT_TRUE(queue().process().value().done.empty()) << "a request that nobody verified was honoured";
  turn(60);
  static_cast<void>(queue().verify(id, "operator-7").value());
  turn(60);
  ASSERT_EQ(queue().process().value().done, std::vector<RequestId>{id});
  reopen();
  const QueuedRequest done = find(id);
  const std::vector<RequestChange> expected = {
      {received, {}, kReceived, "token-1", RequestNote::kNone},
      {received + 60, kReceived, kVerified, "operator-7", RequestNote::kIdentityShown},
      {received + 60, kVerified, kQueued, "queue", RequestNote::kNone},
      {received + 120, kQueued, kDone, "queue", RequestNote::kHonoured},
  };
  EXPECT_EQ(done.history, expected);
  EXPECT_EQ(done.finished, received + 120);
  EXPECT_EQ(done.kind, RequestKind::kSubject);
}

TEST_F(RequestQueueMoves, WhoActsHasAnOpaqueId) {
  const RequestId id = submit(ForgetSubject{"u1"});
  for (const char* wrong : {"", "two words", "per@son", "m\xc3\xbcller",
                            "0123456789012345678901234567890123456789012345678901234567890123456789"}) {
    EXPECT_EQ(queue().cancel(id, wrong).error().code, ErrorCode::kInvalidArgument) << wrong;
  }
  EXPECT_EQ(queue().cancel(id, "operator", RequestNote::kHonoured).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue().refuse(id, "operator", RequestNote::kNone).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(state_of(id), kQueued);
}

TEST_F(RequestQueueMoves, AnUnknownIdIsNotFound) {
  const RequestId unknown{{1, 2, 3}};
  EXPECT_EQ(queue().find(unknown).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(queue().cancel(unknown, "operator").error().code, ErrorCode::kNotFound);
}

TEST_F(RequestQueueMoves, WhatWasAskedForStaysReadableWhileTheRequestIsOpenOnly) {
  const RemovalRequest asked = ForgetEdge{2u, "u1", 3u};
  const RequestId id = submit(asked);
  reopen();
  EXPECT_EQ(find(id).text, request_text(asked));
  EXPECT_EQ(find(id).kind, RequestKind::kEdge);
  const QueuedRequest cancelled = queue().cancel(id, "operator").value();
  EXPECT_EQ(cancelled.text, "");
  EXPECT_FALSE(cancelled.result.has_value());
  reopen();
  EXPECT_EQ(find(id).text, "");
  // Whoever has the signing key can still answer whether it was about this.
  EXPECT_TRUE(queue().is_about(find(id), asked));
  EXPECT_FALSE(queue().is_about(find(id), ForgetEdge{2u, "u1", 4u}));
}

TEST_F(RequestQueueMoves, EqualRequestsHaveDifferentIdsAndCommitments) {
  const RequestId one = submit(ForgetSubject{"u1"});
  const RequestId other = submit(ForgetSubject{"u1"});
  EXPECT_NE(one, other);
  const Digest first = queue().cancel(one, "operator").value().kept_commitment.value();
  const Digest second = queue().cancel(other, "operator").value().kept_commitment.value();
  EXPECT_NE(first, second);
}

TEST_F(RequestQueueMoves, AQueueNeedsTheKeyAndAFileThatMayBeWritten) {
  close();
  WorkspaceOptions how = sample_.how;
  how.key = nullptr;
  Workspace without_key = Workspace::open(sample_.path(), how).value();
  EXPECT_EQ(RequestQueue::open(without_key).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
