// A small workspace with a queue, and a clock that the test turns.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "unscatter/store/request_queue.h"

namespace unscatter::testing {

class QueueFixture : public ::testing::Test {
 protected:
  static constexpr std::int64_t kDay = 86400;

  explicit QueueFixture(WorkspaceSetup setup = sample_setup()) : sample_(std::move(setup)) {
    sample_.how.clock = [time = time_] { return *time; };
    workspace_.emplace(sample_.create());
    queue_.emplace(RequestQueue::open(*workspace_).value());
  }

  void close() {
    queue_.reset();
    workspace_.reset();
  }
  void reopen() {
    close();
    workspace_.emplace(sample_.open());
    queue_.emplace(RequestQueue::open(*workspace_).value());
  }

  [[nodiscard]] RequestQueue& queue() { return *queue_; }
  [[nodiscard]] std::int64_t now() const { return *time_; }
  void turn(std::int64_t seconds) { *time_ += seconds; }
  void change_policy(const QueuePolicy& policy) { ASSERT_TRUE(queue().set_policy(policy).ok()); }

  static Submission asking(std::vector<RemovalRequest> requests, std::string key = {}, std::string body = {}) {
    return {std::move(requests), "token-1", std::move(key), std::move(body)};
  }
  RequestId submit(RemovalRequest request) {
    const Submitted taken = queue().submit(asking({std::move(request)})).value();
    EXPECT_EQ(taken.outcome, Submitted::Outcome::kTaken) << (taken.error ? taken.error->message : "");
    return taken.ids.at(0);
  }
  [[nodiscard]] QueuedRequest find(const RequestId& id) { return queue().find(id).value(); }
  [[nodiscard]] RequestState state_of(const RequestId& id) { return find(id).state; }

  // The workspace closed, and both checks on the file; then it is opened again.
  void expect_sound() {
    close();
    const Verification checked = check_workspace(sample_.path(), {}).value();
    EXPECT_TRUE(checked.passed) << all_details(checked);
    const Verification verified = sample_.verify();
    EXPECT_TRUE(verified.passed) << all_details(verified);
    reopen();
  }

  std::shared_ptr<std::int64_t> time_ = std::make_shared<std::int64_t>(1'800'000'000);
  SampleWorkspace sample_;
  std::optional<Workspace> workspace_;
  std::optional<RequestQueue> queue_;
};

}  // namespace unscatter::testing
