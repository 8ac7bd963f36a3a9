// A script of what happens to a queue, a transaction per step, on the small workspace.
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/request_queue.h"
#include "unscatter/store/workspace.h"

namespace unscatter::testing {

struct QueueStep {
  std::string name;
  std::function<Status(Workspace&, RequestQueue&)> carry_out;
};
// The policy, submissions with keys, a cancellation, an extension, a removal with others that are absent, more
// submissions, one of them a second time, deliveries, a second removal, and the end of what is old.
[[nodiscard]] const std::vector<QueueStep>& queue_steps();
// With real randomness, so that no id comes twice, and a clock that stands.
[[nodiscard]] WorkspaceOptions queue_options(const std::filesystem::path& workspace, bool recorded);
// Names that must be in no file once `steps` are done.
[[nodiscard]] std::vector<std::string> names_gone_after(std::size_t steps);

// Everything that two runs of the same steps have in common.
struct QueueState {
  std::size_t entries = 0;
  std::size_t graphs = 0;
  Digest data;        // what is left, and what the ledger says was done
  std::string queue;  // requests, events, statistics and policy, in words
  friend bool operator==(const QueueState&, const QueueState&) = default;
};
[[nodiscard]] Result<QueueState> queue_state(const std::filesystem::path& path, bool recorded);
// Opens the workspace and its queue, carries out one step and closes it.
[[nodiscard]] Status carry_out_step(const std::filesystem::path& path, std::size_t step, bool recorded);

// The states of an undisturbed run: the i-th after i steps.  `pause` is called before the first and after each, the
// workspace closed.
[[nodiscard]] std::vector<QueueState> undisturbed_queue(const std::filesystem::path& path, bool recorded,
                                                        const std::function<void()>& pause);

struct QueueInspection {
  std::size_t steps = 0;   // found to be done
  std::string fault = {};  // what is wrong; empty: nothing
};
// Opens what a fault left behind.  `acknowledged` steps must be there, one more may be, and nothing may be half there.
[[nodiscard]] QueueInspection inspect_queue(const std::filesystem::path& path, bool recorded,
                                            const std::vector<QueueState>& references, std::size_t acknowledged);
// Goes on to the end.  Returns what is wrong.
[[nodiscard]] std::string queue_continuation_fault(const std::filesystem::path& path, bool recorded,
                                                   const std::vector<QueueState>& references, std::size_t done);

}  // namespace unscatter::testing
