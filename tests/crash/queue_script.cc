#include "crash/queue_script.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "crash/small_workspace.h"
#include "unscatter/base/invariant.h"

namespace unscatter::testing {
namespace {

constexpr std::int64_t kStart = 1'800'000'000;
constexpr const char* kAbsent = "nobody-of-this-name";
constexpr const char* kWithdrawn = "somebody-who-thought-again";

Submission about(std::vector<RemovalRequest> requests, std::string key) {
  std::string body = "body of " + key;
  return {std::move(requests), "token-1", std::move(key), std::move(body)};
}

// The open request with this number.
Result<RequestId> open_request(const RequestQueue& queue, std::uint64_t number) {
  for (const auto& request : queue.view()->open) {
    if (request->number == number) return request->id;
  }
  return Error{ErrorCode::kNotFound, fmt::format("request {} is not open", number)};
}

template <typename T>
Status status_of(const Result<T>& result) {
  return result.ok() ? ok_status() : Status(result.error());
}

Status submit_all(RequestQueue& queue, const std::vector<Submission>& submissions) {
  UNSCATTER_TRY(answers, queue.submit_many(submissions));
  for (const Submitted& answer : answers) {
    if (answer.outcome == Submitted::Outcome::kRefused) return *answer.error;
  }
  return ok_status();
}

Status deliver_all(RequestQueue& queue) {
  UNSCATTER_TRY(events, queue.due_events(std::numeric_limits<std::int64_t>::max(), 100));
  std::vector<Delivery> deliveries;
  for (const QueueEvent& event : events) deliveries.push_back({event.number, Delivery::Outcome::kDelivered, 0});
  return queue.settle(deliveries);
}

QueuePolicy script_policy(std::optional<std::int64_t> keep_days) {
  QueuePolicy policy;
  policy.events = true;
  policy.keep_days = keep_days;
  return policy;
}

std::string words_of(const QueuedRequest& request) {
  std::string words = fmt::format("{} {} {} due {} '{}'", request.number, request_state_name(request.state),
                                  request.history.size(), request.due, request.text);
  if (request.result)
    words += fmt::format(" entry {} index {}", request.result->entry, request.result->commitment_index);
  return words + "\n";
}

}  // namespace

const std::vector<QueueStep>& queue_steps() {
  static const std::vector<QueueStep> steps = {
      {"policy", [](Workspace&, RequestQueue& queue) { return queue.set_policy(script_policy({})); }},
      {"submit",
       [](Workspace&, RequestQueue& queue) {
         return submit_all(queue, {about({ForgetSubject{"user-23"}, ForgetSubject{kAbsent}}, "first"),
                                   about({ForgetNode{0u, 1u}}, "second"), about({ForgetSubject{kWithdrawn}}, "third"),
                                   about({ForgetSubject{"user-31"}}, "fourth")});
       }},
      {"cancel",
       [](Workspace&, RequestQueue& queue) -> Status {
         UNSCATTER_TRY(id, open_request(queue, 4));
         return status_of(queue.cancel(id, "operator"));
       }},
      {"extend",
       [](Workspace&, RequestQueue& queue) -> Status {
         UNSCATTER_TRY(id, open_request(queue, 5));
         return status_of(queue.extend(id, "operator", RequestNote::kManyRequests));
       }},
      {"process",
       [](Workspace&, RequestQueue& queue) {
         ProcessOptions three;
         three.limit = 3;
         return status_of(queue.process(three));
       }},
      {"submit again",
       [](Workspace&, RequestQueue& queue) {
         return submit_all(queue, {about({ForgetNode{0u, 1u}}, "second"), about({ForgetSubject{kAbsent}}, "fifth")});
       }},
      {"deliver", [](Workspace&, RequestQueue& queue) { return deliver_all(queue); }},
      {"process again", [](Workspace&, RequestQueue& queue) { return status_of(queue.process()); }},
      {"keep nothing", [](Workspace&, RequestQueue& queue) { return queue.set_policy(script_policy(1)); }},
      {"drop", [](Workspace&, RequestQueue& queue) { return status_of(queue.drop_finished(3)); }},
  };
  return steps;
}

WorkspaceOptions queue_options(const std::filesystem::path& workspace, bool recorded) {
  WorkspaceOptions options = recorded ? recorded_options(workspace) : small_options();
  options.random = nullptr;
  options.clock = [] { return kStart; };
  return options;
}

std::vector<std::string> names_gone_after(std::size_t steps) {
  std::vector<std::string> names;
  if (steps >= 3) names.emplace_back(kWithdrawn);
  if (steps >= 5) names.emplace_back("user-23");
  if (steps == 5 || steps >= 8) names.emplace_back(kAbsent);
  if (steps >= 8) names.emplace_back("user-31");
  return names;
}

Result<QueueState> queue_state(const std::filesystem::path& path, bool recorded) {
  UNSCATTER_TRY(workspace, Workspace::open(path, queue_options(path, recorded)));
  if (workspace.info().outdated) return *workspace.info().outdated;
  UNSCATTER_TRY(queue, RequestQueue::open(workspace));
  QueueState state;
  state.entries = workspace.info().entries;
  state.graphs = workspace.info().graphs;
  UNSCATTER_TRY(data, workspace.replay_digest());
  state.data = data;
  const auto view = queue.view();
  for (const auto& request : view->open) state.queue += words_of(*request);
  UNSCATTER_TRY(finished, queue.finished({}));
  for (const QueuedRequest& request : finished.requests) state.queue += words_of(request);
  UNSCATTER_TRY(events, queue.due_events(std::numeric_limits<std::int64_t>::max(), 100));
  for (const QueueEvent& event : events) {
    state.queue += fmt::format("event {} {}\n", event.number, request_state_name(event.state));
  }
  for (const std::uint64_t count : view->statistics.by_state) state.queue += fmt::format("{} ", count);
  state.queue += fmt::format("keep {}", view->policy.keep_days.value_or(0));
  return state;
}

Status carry_out_step(const std::filesystem::path& path, std::size_t step, bool recorded) {
  WorkspaceOptions options = queue_options(path, recorded);
  // The last step comes days later.
  if (queue_steps()[step].name == "drop") options.clock = [] { return kStart + std::int64_t{5} * 86400; };
  UNSCATTER_TRY(workspace, Workspace::open(path, options));
  UNSCATTER_TRY(queue, RequestQueue::open(workspace));
  return queue_steps()[step].carry_out(workspace, queue);
}

std::vector<QueueState> undisturbed_queue(const std::filesystem::path& path, bool recorded,
                                          const std::function<void()>& pause) {
  const auto require = [](const auto& result) {
    invariant(result.ok(), result.ok() ? "" : result.error().message.c_str());
  };
  { require(Workspace::create(path, small_setup(), queue_options(path, recorded))); }
  // As a file from before there were queues.
  pause();
  std::vector<QueueState> states;
  for (std::size_t step = 0;; ++step) {
    states.push_back(queue_state(path, recorded).value());
    if (step == queue_steps().size()) return states;
    require(carry_out_step(path, step, recorded));
    pause();
  }
}

QueueInspection inspect_queue(const std::filesystem::path& path, bool recorded,
                              const std::vector<QueueState>& references, std::size_t acknowledged) {
  const Result<QueueState> found = queue_state(path, recorded);
  if (!found.ok()) return {0, "cannot be opened: " + found.error().message};
  for (const std::size_t steps : {acknowledged, acknowledged + 1}) {
    if (steps < references.size() && *found == references[steps]) return {steps};
  }
  return {0, fmt::format("{} steps were acknowledged, and this is neither they nor one more: {} entries\n{}",
                         acknowledged, found->entries, found->queue)};
}

std::string queue_continuation_fault(const std::filesystem::path& path, bool recorded,
                                     const std::vector<QueueState>& references, std::size_t done) {
  for (std::size_t step = done; step < queue_steps().size(); ++step) {
    const Status status = carry_out_step(path, step, recorded);
    if (!status.ok()) return fmt::format("step {}: {}", step, status.error().message);
    const QueueInspection inspection = inspect_queue(path, recorded, references, step + 1);
    if (!inspection.fault.empty()) return inspection.fault;
  }
  return {};
}

}  // namespace unscatter::testing
