// A workspace small enough to be opened, changed and checked thousands of times, and a script of what is done to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter::testing {

// 14 graphs of 4 to 6 nodes, with ids for graphs and nodes, and due dates for some of both.
[[nodiscard]] WorkspaceSetup small_setup();
// One thread, seeded salts, the same key every time.
[[nodiscard]] WorkspaceOptions small_options();
// The same with a record against rollback beside the workspace.
[[nodiscard]] WorkspaceOptions recorded_options(const std::filesystem::path& workspace);

// One ledger entry: a removal, another count of releases, an addition, corrections, or a release where there is none of
// these.
struct Step {
  std::vector<RemovalRequest> requests = {};
  bool renews = false;
  bool adds = false;  // small_addition()
  std::vector<Correction> corrections = {};
  std::optional<std::int64_t> expires = {};  // forgets what is due then
  [[nodiscard]] bool releases() const {
    return requests.empty() && !renews && !adds && corrections.empty() && !expires;
  }
  [[nodiscard]] bool removes() const { return !requests.empty() || expires; }
};
// Two more graphs.
[[nodiscard]] Dataset small_addition();
// Removals of every kind, one of them a batch, a release, an addition, corrections, a renewal, and an expiry.
[[nodiscard]] const std::vector<Step>& small_steps();
// The requests of all of them, in order.
[[nodiscard]] std::vector<RemovalRequest> small_requests();
[[nodiscard]] Status carry_out(Workspace& workspace, const Step& step);
// The same for a step that removes().
[[nodiscard]] Result<Forgotten> remove(Workspace& workspace, const Step& step);

// Everything that two runs of the same steps have in common.  `state` only if both opened the workspace anew for every
// step: updates of a session that was restored differ in the last bits from those of one that was not.
struct WorkspaceState {
  std::size_t entries = 0;
  std::size_t graphs = 0;
  std::size_t published = 0;
  std::size_t updates = 0;
  Digest data;
  Digest due;  // all due dates
  Digest replay;
  Digest state;

  friend bool operator==(const WorkspaceState&, const WorkspaceState&) = default;
};
std::ostream& operator<<(std::ostream& stream, const WorkspaceState& state);
[[nodiscard]] Result<WorkspaceState> state_of(Workspace& workspace);
[[nodiscard]] Result<WorkspaceState> state_of(const std::filesystem::path& path);

// The states of an undisturbed run: the i-th after i steps.
using References = std::vector<WorkspaceState>;
// Creates the workspace and carries out all steps, opening it anew for each.  `pause` is called before the first and
// after each, the workspace closed.  Throws InvariantViolation if something fails.
[[nodiscard]] References undisturbed_run(const std::filesystem::path& path, const std::function<void()>& pause,
                                         const WorkspaceOptions& options = small_options());
// For comparison with runs that carry out several steps in a row.
[[nodiscard]] References without_state(References references);

struct Inspection {
  std::size_t steps = 0;   // found to be done
  std::string fault = {};  // what is wrong; empty: nothing
};
// Opens what a fault left behind: `acknowledged` steps must be there, one more may be, and nothing may be half there.
[[nodiscard]] Inspection inspect(const std::filesystem::path& path, const References& references,
                                 std::size_t acknowledged);

// What takes longer.  Each returns what is wrong.
[[nodiscard]] std::string verification_fault(const std::filesystem::path& path);
// Goes on after `done` steps for `count` more, as far as there are any.
[[nodiscard]] std::string continuation_fault(const std::filesystem::path& path, const References& references,
                                             std::size_t done, std::size_t count);

}  // namespace unscatter::testing
