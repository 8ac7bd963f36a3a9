// What any thread sees.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/queue_fixture.h"

namespace unscatter {
namespace {

using enum RequestState;

class RequestQueueView : public testing::QueueFixture {};

TEST_F(RequestQueueView, AViewNeverChanges) {
  submit(ForgetSubject{"u1"});
  const auto before = queue().view();
  EXPECT_EQ(queue().view(), before) << "the same one while nothing changes";
  submit(ForgetSubject{"u2"});
  ASSERT_TRUE(queue().process().ok());
  EXPECT_EQ(before->open.size(), 1u);
  EXPECT_EQ(before->open[0]->state, kQueued);
  EXPECT_TRUE(queue().view()->open.empty());
  EXPECT_GT(queue().view()->version, before->version);
}

// Memory answers for the last ones that were finished.  It says what the file says, and nothing after they are dropped.
TEST_F(RequestQueueView, WhatWasJustFinishedIsWhatTheFileHas) {
  const RequestId done = submit(ForgetSubject{"u1"});
  const RequestId cancelled = submit(ForgetSubject{"u2"});
  ASSERT_TRUE(queue().cancel(cancelled, "operator").ok());
  ASSERT_TRUE(queue().process().ok());
  std::vector<QueuedRequest> before;
  for (const RequestId& id : {done, cancelled}) before.push_back(queue().find(id).value());
  EXPECT_TRUE(before[0].text.empty() && before[1].text.empty());
  reopen();
  for (const QueuedRequest& one : before) {
    const QueuedRequest read = queue().find(one.id).value();
    EXPECT_EQ(read.number, one.number);
    EXPECT_EQ(read.state, one.state);
    EXPECT_EQ(read.received, one.received);
    EXPECT_EQ(read.finished, one.finished);
    EXPECT_EQ(read.due, one.due);
    EXPECT_EQ(read.text, one.text);
    EXPECT_EQ(read.history, one.history);
    EXPECT_EQ(read.result, one.result);
    EXPECT_EQ(read.kept_commitment, one.kept_commitment);
  }
  QueuePolicy policy;
  policy.keep_days = 1;
  change_policy(policy);
  const RequestId last = submit(ForgetSubject{"u3"});
  ASSERT_TRUE(queue().process().ok());
  turn(3 * kDay);
  ASSERT_EQ(queue().drop_finished().value(), 3u);
  EXPECT_EQ(queue().find(last).error().code, ErrorCode::kNotFound);
}

TEST_F(RequestQueueView, FinishedRequestsComeInPages) {
  std::vector<RequestId> ids;
  for (int i = 0; i < 25; ++i) {
    ids.push_back(submit(ForgetSubject{"u" + std::to_string(i)}));
    if (i % 5 == 0) {
      ASSERT_TRUE(queue().refuse(ids.back(), "operator", RequestNote::kExcessive).ok());
    } else if (i != 7) {
      ASSERT_TRUE(queue().cancel(ids.back(), "operator").ok());
    }
  }
  std::vector<RequestId> seen;
  FinishedQuery query;
  query.limit = 10;
  std::size_t pages = 0;
  for (;; ++pages) {
    const FinishedPage page = queue().finished(query).value();
    for (const QueuedRequest& request : page.requests) seen.push_back(request.id);
    if (!page.next) break;
    query.before = page.next;
  }
  EXPECT_EQ(pages, 2u);
  std::vector<RequestId> expected(ids.rbegin(), ids.rend());
  std::erase(expected, ids[7]);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(queue().finished({{}, 100, kRefused}).value().requests.size(), 5u);
  EXPECT_EQ(queue().finished({{}, 0, {}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue().finished({{}, 1001, {}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(queue().finished({{}, 10, kQueued}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RequestQueueView, StatisticsCountStatesDaysAndLatencies) {
  submit(ForgetSubject{"u1"});
  submit(ForgetSubject{"nobody"});
  turn(3 * kDay);
  ASSERT_TRUE(queue().process().ok());
  const RequestId late = submit(ForgetSubject{"u2"});
  turn(31 * kDay);
  EXPECT_EQ(queue().view()->overdue(now()), 1u);
  ASSERT_TRUE(queue().cancel(late, "operator").ok());
  for (const bool again : {false, true}) {
    if (again) reopen();
    const QueueStatistics statistics = queue().view()->statistics;
    EXPECT_EQ(statistics.by_state, (std::array<std::uint64_t, 8>{0, 0, 0, 0, 1, 1, 0, 1}));
    EXPECT_FALSE(statistics.next_due.has_value());
    ASSERT_EQ(statistics.days.size(), 3u);
    EXPECT_EQ(statistics.days[0].received, 2u);
    EXPECT_EQ(statistics.days[1].done, 1u);
    EXPECT_EQ(statistics.days[1].already_absent, 1u);
    EXPECT_EQ(statistics.days[1].latencies[7], 1u) << "three days";
    EXPECT_EQ(statistics.days[2].late, 1u);
    EXPECT_EQ(statistics.latencies[7], 1u);
  }
}

// Readers go on while the writer submits, removes and settles.  Run it under ThreadSanitizer as well.
TEST_F(RequestQueueView, ManyThreadsReadWhileOneWrites) {
  const RequestId known = submit(ForgetSubject{"nobody"});
  ASSERT_TRUE(queue().process().ok());
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> reads = 0;
  std::atomic<std::size_t> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      std::uint64_t version = 0;
      while (!stop) {
        const auto view = queue().view();
        if (view->version < version) ++wrong;
        version = view->version;
        for (const auto& request : view->open) {
          if (request->text.empty() || is_final(request->state)) ++wrong;
        }
        const auto found = queue().find(known);
        if (!found.ok() || found->state != kAlreadyAbsent) ++wrong;
        const auto page = queue().finished({});
        if (!page.ok() || page->requests.empty()) ++wrong;
        // Entries and receipts that info() knows of are there.
        const std::size_t entries = queue().info()->entries;
        if (!queue().entry(entries - 1).ok() || !queue().hash_of_entry(entries - 1).ok()) ++wrong;
        if (entries > 1 && !queue().receipt(entries - 1).ok()) ++wrong;
        if (!queue().due_events(now(), 10).ok()) ++wrong;
        ++reads;
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    const RequestId id = submit(ForgetFeatures{static_cast<std::size_t>(round % 14), 0u});
    submit(ForgetSubject{"nobody"});
    ASSERT_TRUE(queue().process().ok());
    EXPECT_TRUE(is_final(state_of(id)));
  }
  while (reads < 30) std::this_thread::yield();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
  expect_sound();
}

}  // namespace
}  // namespace unscatter
