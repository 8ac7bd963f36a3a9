// Requests and removals: one update, one transaction.
#include <gtest/gtest.h>

#include <algorithm>

#include "store/queue_fixture.h"
#include "store/request_queue_inside.h"
#include "store/schema.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using enum RequestState;

class RequestQueueProcess : public testing::QueueFixture {
 protected:
  std::size_t entries() { return queue().info()->entries; }
  bool holds(const std::string& subject) { return !workspace_->subject(subject).value().graphs.empty(); }
};

TEST_F(RequestQueueProcess, RequestsBecomeOneUpdateAndEachGetsItsEnd) {
  const std::vector<RemovalRequest> requests = {ForgetSubject{"u1"},    ForgetSubject{"nobody"}, ForgetGraph{3u},
                                                ForgetNode{3u, 0u},     ForgetSubject{"u1"},     ForgetGraph{99u},
                                                ForgetEdge{4u, 0u, 0u}, ForgetFeatures{5u, 2u}};
  const std::vector<RequestState> expected = {kDone,          kAlreadyAbsent, kDone,          kAlreadyAbsent,
                                              kAlreadyAbsent, kAlreadyAbsent, kAlreadyAbsent, kDone};
  const std::vector<RequestId> ids = queue().submit(asking(requests)).value().ids;
  const std::size_t before = entries();
  std::vector<Salt> salts;
  std::vector<RequestId> handed_out;
  ProcessOptions options;
  options.hand_out = [&](const Forgotten& done, std::span<const RequestId> about) -> Status {
    salts = done.salts;
    handed_out.assign(about.begin(), about.end());
    return ok_status();
  };
  const Processed processed = queue().process(options).value();
  ASSERT_EQ(processed.updates.size(), 1u);
  EXPECT_EQ(entries(), before + 1);
  EXPECT_EQ(processed.done, (std::vector<RequestId>{ids[0], ids[2], ids[7]}));
  EXPECT_EQ(handed_out, processed.done);
  EXPECT_EQ(processed.already_absent.size(), 5u);
  EXPECT_FALSE(holds("u1"));
  reopen();
  const Receipt receipt = queue().receipt(before).value();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    SCOPED_TRACE(i);
    const QueuedRequest request = find(ids[i]);
    EXPECT_EQ(request.state, expected[i]);
    EXPECT_EQ(request.text, "");
    EXPECT_EQ(request.result.has_value(), expected[i] == kDone);
    EXPECT_EQ(request.kept_commitment.has_value(), expected[i] != kDone);
    if (!request.result) {
      EXPECT_TRUE(queue().is_about(request, requests[i]));
      continue;
    }
    // The commitment of the receipt is about this request: whoever was handed the salt can show it.
    EXPECT_EQ(request.result->entry, before);
    const std::size_t index = request.result->commitment_index;
    EXPECT_EQ(receipt.commitments.at(index), request.result->commitment);
    EXPECT_EQ(commitment(requests[i], salts.at(index)), request.result->commitment);
    EXPECT_EQ(handed_out.at(index), ids[i]);
  }
  expect_sound();
}

// What cannot be honoured together with others does not keep them from being honoured.
TEST_F(RequestQueueProcess, OneThatCannotBeHonouredBlocksNoOther) {
  std::vector<RemovalRequest> everything;
  for (std::size_t graph = 0; graph < 14; ++graph) everything.emplace_back(ForgetGraph{graph});
  const std::vector<RequestId> ids = queue().submit(asking(everything)).value().ids;
  const Processed processed = queue().process().value();
  EXPECT_EQ(processed.done.size(), 13u);
  EXPECT_GT(processed.updates.size(), 1u);
  ASSERT_EQ(processed.refused.size(), 1u);
  EXPECT_EQ(find(processed.refused[0]).history.back().note, RequestNote::kNotPossible);
  EXPECT_EQ(queue().info()->graphs, 1u);
  EXPECT_TRUE(queue().view()->open.empty());
  expect_sound();
}

TEST_F(RequestQueueProcess, WithNothingToRemoveThereIsNoEntry) {
  const RequestId id = submit(ForgetSubject{"nobody"});
  const std::size_t before = entries();
  const Processed processed = queue().process().value();
  EXPECT_TRUE(processed.updates.empty());
  EXPECT_EQ(processed.already_absent, std::vector<RequestId>{id});
  EXPECT_EQ(entries(), before);
  EXPECT_TRUE(queue().process().value().already_absent.empty());
  expect_sound();
}

TEST_F(RequestQueueProcess, SaltsThatCannotBeHandedOutStopItAndNothingChanges) {
  const RequestId id = submit(ForgetSubject{"u1"});
  const RequestId absent = submit(ForgetSubject{"nobody"});
  ProcessOptions options;
  options.hand_out = [](const Forgotten&, std::span<const RequestId>) -> Status {
    return Error{ErrorCode::kIo, "no room"};
  };
  const std::size_t before = entries();
  EXPECT_EQ(queue().process(options).error().code, ErrorCode::kIo);
  EXPECT_EQ(state_of(id), kQueued);
  EXPECT_EQ(state_of(absent), kQueued);
  EXPECT_TRUE(holds("u1"));
  expect_sound();
  EXPECT_EQ(entries(), before);
  EXPECT_EQ(queue().process().value().done, std::vector<RequestId>{id});
}

TEST_F(RequestQueueProcess, TheOldestComeFirst) {
  const RequestId first = submit(ForgetSubject{"u1"});
  turn(-100 * kDay);  // whatever the clock says
  const RequestId second = submit(ForgetSubject{"u2"});
  ProcessOptions one;
  one.limit = 1;
  EXPECT_EQ(queue().process(one).value().done, std::vector<RequestId>{first});
  EXPECT_EQ(queue().process(one).value().done, std::vector<RequestId>{second});
  EXPECT_TRUE(queue().process(one).value().done.empty());
  one.limit = 0;
  EXPECT_EQ(queue().process(one).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RequestQueueProcess, WhatWasRemovedByOtherMeansIsAlreadyAbsent) {
  const RequestId id = submit(ForgetSubject{"u1"});
  const std::vector<RemovalRequest> same = {ForgetSubject{"u1"}};
  ASSERT_TRUE(workspace_->forget(same).ok());
  ASSERT_TRUE(queue().process().ok());
  EXPECT_EQ(state_of(id), kAlreadyAbsent);
  expect_sound();
}

// An update that could not be computed leaves the request open, with its text, until somebody decides.
TEST_F(RequestQueueProcess, ARequestThatFailedCanBeTriedAgain) {
  const RequestId id = submit(ForgetSubject{"u1"});
  const std::uint64_t number = find(id).number;
  close();
  {
    Database database = open_database(sample_.path(), std::chrono::milliseconds(0)).value();
    Contents contents = read_contents(WorkspaceTables(database)).value();
    Workspace::State state(sample_.path(), WorkspaceFiles(std::move(database)), std::move(contents), sample_.how);
    RequestQueue::Inside inside(state, read_queue(state.database, state.contents.identity).value());
    const auto fail = [&](QueueChange& change) {
      return change.move(number, kFailed, "queue", RequestNote::kNotConverged);
    };
    ASSERT_TRUE(inside.in_transaction(false, fail).ok());
  }
  reopen();
  EXPECT_EQ(state_of(id), kFailed);
  EXPECT_EQ(find(id).text, request_text(ForgetSubject{"u1"}));
  EXPECT_TRUE(queue().process().value().done.empty());
  EXPECT_EQ(queue().view()->statistics.by_state[3], 1u);
  EXPECT_EQ(queue().try_again(id, "operator").value().state, kQueued);
  EXPECT_EQ(queue().process().value().done, std::vector<RequestId>{id});
  expect_sound();
}

TEST_F(RequestQueueProcess, AnOlderCopyTakesNoRequests) {
  close();
  sample_.keep_record();
  reopen();
  submit(ForgetSubject{"u1"});
  close();
  const std::string before = sample_.bytes();
  reopen();
  ASSERT_TRUE(queue().process().ok());
  close();
  sample_.replace(before);
  Workspace old = sample_.open();
  EXPECT_EQ(RequestQueue::open(old).error().code, ErrorCode::kOutdated);
}

}  // namespace
}  // namespace unscatter
