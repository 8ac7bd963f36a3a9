// Random days of a queue, against a simple model of what it must do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "store/queue_fixture.h"
#include "support/sanitized.h"
#include "unscatter/base/random.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using enum RequestState;

struct Expected {
  RequestState state = kReceived;
  std::int64_t due = 0;
  std::int64_t finished = 0;
  bool extended = false;
  std::size_t changes = 0;
  std::string subject;
};

class QueueModel : public testing::QueueFixture {
 protected:
  QueueModel() {
    const Dataset& dataset = sample_.original();
    for (const Graph& graph : dataset.graphs) {
      for (std::size_t i = 0; i < graph.node_count(); ++i) present_.insert(graph.node_id(i));
    }
  }

  // One of the open requests, or any at all.
  std::optional<RequestId> some_request() {
    if (order_.empty()) return {};
    return order_[random_.below(order_.size())];
  }
  bool is_open(const RequestId& id) { return expected_.contains(id) && !is_final(expected_[id].state); }

  void end(Expected& request, RequestState state) {
    request.state = state;
    request.finished = now();
    ++request.changes;
    ++ended_[state];
  }

  void forget_keys() {
    std::erase_if(keys_, [&](const auto& entry) { return entry.second.expires <= now(); });
  }

  void submit_some() {
    const std::string subject = random_.chance(0.3) ? "nobody" : fmt::format("u{}", random_.below(6));
    const std::string key = random_.chance(0.4) ? fmt::format("key-{}", random_.below(4)) : "";
    const Submitted answer = queue().submit(asking({ForgetSubject{subject}}, key, subject)).value();
    // Keys that have expired are gone for good, even if the clock is set back.
    forget_keys();
    const auto known = keys_.find(key);
    const bool remembered = !key.empty() && known != keys_.end();
    if (remembered) {
      const bool same = known->second.subject == subject;
      ASSERT_EQ(answer.outcome, same ? Submitted::Outcome::kReplayed : Submitted::Outcome::kConflict);
      if (same) {
        ASSERT_EQ(answer.ids, std::vector<RequestId>{known->second.id});
      }
      return;
    }
    ASSERT_EQ(answer.outcome, Submitted::Outcome::kTaken);
    const RequestId id = answer.ids.at(0);
    order_.push_back(id);
    expected_[id] = {
        policy_.verify ? kReceived : kQueued, now() + policy_.days * kDay, 0, false, policy_.verify ? 1u : 2u, subject};
    if (!key.empty()) keys_[key] = {id, subject, now() + policy_.key_hours * 3600};
  }

  void act_on(const RequestId& id) {
    Expected& request = expected_[id];
    const bool there = expected_.contains(id) && !request.subject.empty();
    const bool open = there && is_open(id);
    switch (random_.below(4)) {
      case 0: {
        const bool allowed = open && request.state == kReceived;
        ASSERT_EQ(queue().verify(id, "operator").ok(), allowed);
        if (allowed) request.state = kQueued, request.changes += 2;
        break;
      }
      case 1:
        ASSERT_EQ(queue().cancel(id, "operator").ok(), open);
        if (open) end(request, kCancelled);
        break;
      case 2:
        ASSERT_EQ(queue().refuse(id, "operator", RequestNote::kExcessive).ok(), open);
        if (open) end(request, kRefused);
        break;
      default: {
        const bool allowed = open && !request.extended && now() < request.due;
        ASSERT_EQ(queue().extend(id, "operator", RequestNote::kComplex).ok(), allowed);
        if (allowed) request.extended = true, request.due += policy_.extension_days * kDay, ++request.changes;
      }
    }
  }

  void process_some() {
    ProcessOptions options;
    options.limit = 1 + random_.below(4);
    const Processed processed = queue().process(options).value();
    std::size_t taken = 0;
    std::size_t done = 0;
    for (const RequestId& id : order_) {
      if (taken == options.limit) break;
      if (!is_open(id) || expected_[id].state != kQueued) continue;
      ++taken;
      Expected& request = expected_[id];
      const bool there = present_.erase(request.subject) > 0;
      done += there ? 1u : 0u;
      end(request, there ? kDone : kAlreadyAbsent);
    }
    ASSERT_EQ(processed.done.size(), done);
    ASSERT_EQ(processed.already_absent.size(), taken - done);
    ASSERT_EQ(processed.updates.size(), done > 0 ? 1u : 0u);
  }

  void drop_some() {
    forget_keys();
    std::size_t dropped = 0;
    for (auto request = order_.begin(); request != order_.end();) {
      const Expected& known = expected_[*request];
      const bool old =
          policy_.keep_days && is_final(known.state) && known.finished <= now() - *policy_.keep_days * kDay;
      if (!old) {
        ++request;
        continue;
      }
      dropped_.insert(*request);
      expected_.erase(*request);
      request = order_.erase(request);
      ++dropped;
    }
    ASSERT_EQ(queue().drop_finished().value(), dropped);
  }

  void change_policy_somehow() {
    policy_.verify = random_.chance(0.5);
    policy_.days = static_cast<std::int64_t>(1 + random_.below(30));
    policy_.events = random_.chance(0.5);
    policy_.keep_days = random_.chance(0.5) ? std::optional<std::int64_t>(20) : std::nullopt;
    ASSERT_TRUE(queue().set_policy(policy_).ok());
  }

  void compare() {
    std::size_t open = 0;
    for (const RequestId& id : order_) {
      const Expected& known = expected_[id];
      const QueuedRequest found = find(id);
      ASSERT_EQ(found.state, known.state);
      ASSERT_EQ(found.due, known.due);
      ASSERT_EQ(found.extended, known.extended);
      ASSERT_EQ(found.history.size(), known.changes);
      ASSERT_EQ(found.text, is_final(known.state) ? "" : request_text(ForgetSubject{known.subject}));
      open += is_final(known.state) ? 0u : 1u;
    }
    for (const RequestId& id : dropped_) ASSERT_FALSE(queue().find(id).ok());
    const auto view = queue().view();
    ASSERT_EQ(view->open.size(), open);
    for (const auto& [state, count] : ended_) {
      ASSERT_EQ(view->statistics.by_state[static_cast<std::size_t>(state)], count);
    }
    for (std::size_t i = 1; i < view->open.size(); ++i) ASSERT_LT(view->open[i - 1]->number, view->open[i]->number);
  }

  void one_step() {
    const std::uint64_t choice = random_.below(100);
    const std::optional<RequestId> some = some_request();
    if (choice < 35) return submit_some();
    if (choice < 60) {
      if (some) act_on(*some);
      return;
    }
    if (choice < 75) return process_some();
    if (choice < 82) return reopen();
    if (choice < 90) return turn(static_cast<std::int64_t>(random_.below(20 * kDay)) - 5 * kDay);
    if (choice < 95) return change_policy_somehow();
    drop_some();
  }

  struct Key {
    RequestId id;
    std::string subject;
    std::int64_t expires = 0;
  };
  Sequence random_{1};
  QueuePolicy policy_;
  std::set<std::string> present_;
  std::vector<RequestId> order_;
  std::map<RequestId, Expected> expected_;
  std::set<RequestId> dropped_;
  std::map<RequestState, std::uint64_t> ended_;
  std::map<std::string, Key> keys_;
};

TEST_F(QueueModel, RandomDaysGoAsTheModelSays) {
  constexpr std::uint64_t kSteps = testing::kSanitized ? 150 : 1500;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    SCOPED_TRACE(step);
    one_step();
    if (HasFatalFailure()) return;
    if (step % 5 == 0) compare();
    if (HasFatalFailure()) return;
  }
  expect_sound();
  compare();
  // All ends occurred, or this would say less than it seems to.
  EXPECT_EQ(ended_.size(), 4u);
  EXPECT_FALSE(dropped_.empty());
}

}  // namespace
}  // namespace unscatter
