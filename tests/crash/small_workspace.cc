#include "crash/small_workspace.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <span>
#include <utility>

#include "base/testing/seeded_random.h"
#include "unscatter/store/verify.h"

namespace unscatter::testing {
namespace {

constexpr std::size_t kGraphs = 14;
constexpr std::int64_t kEarly = 1'800'000'000;
constexpr std::int64_t kLate = 1'900'000'000;

// A ring with a chord.  Users have the same place in every fourth graph.  No name begins another one: scans look for
// names, and "user-3" with a random byte behind it can read as "user-31".
Graph small_graph(std::size_t number, Sequence& random) {
  GraphParts parts;
  parts.node_count = 4 + number % 3;
  for (NodeIndex i = 0; i < parts.node_count; ++i) {
    parts.edges.push_back({i, static_cast<NodeIndex>((i + 1) % parts.node_count)});
    parts.attributes.push_back(random.unit() + (number % 2 == 0 ? 0.0 : 0.5));
    parts.node_ids.push_back(fmt::format("user-{:02}", 10 * (number % 4) + i));
  }
  parts.edges.push_back({0, 2});
  parts.attribute_count = 1;
  return Graph::create(std::move(parts)).value();
}

std::shared_ptr<const SigningKey> small_key() {
  static const auto key = [] {
    SeededRandom random(5);
    return std::make_shared<const SigningKey>(SigningKey::generate(random));
  }();
  return key;
}

std::string text_of(const WorkspaceState& state) {
  return fmt::format("{} entries, {} graphs, {} published, {} updates, data {}, due {}, replay {}, state {}",
                     state.entries, state.graphs, state.published, state.updates, state.data.hex().substr(0, 8),
                     state.due.hex().substr(0, 8), state.replay.hex().substr(0, 8), state.state.hex().substr(0, 8));
}

// The first request of an earlier step that would be taken again, or of the next step that would not.
std::string request_fault(Workspace& workspace, std::size_t steps) {
  for (std::size_t i = 0; i < small_steps().size() && i <= steps; ++i) {
    for (const RemovalRequest& request : small_steps()[i].requests) {
      const auto removal = workspace.prepare(std::span(&request, 1));
      if (!removal.ok() && !removal.error().request) return removal.error().message;
      if (removal.ok() == (i < steps)) {
        return fmt::format("{} of step {} is {} after {} steps", describe(request), i,
                           removal.ok() ? "taken" : "refused", steps);
      }
    }
  }
  for (std::size_t i = 0; i < small_steps().size() && i <= steps; ++i) {
    for (const Correction& correction : small_steps()[i].corrections) {
      if (workspace.prepare_corrections(std::span(&correction, 1)).ok() == (i < steps)) {
        return fmt::format("{} of step {} is the wrong way after {} steps", describe(correction), i, steps);
      }
    }
    if (small_steps()[i].adds && workspace.prepare_addition(small_addition()).ok() == (i < steps)) {
      return fmt::format("the addition of step {} is the wrong way after {} steps", i, steps);
    }
  }
  return {};
}

bool same(WorkspaceState state, const WorkspaceState& reference) {
  if (reference.state == Digest{}) state.state = {};
  return state == reference;
}

std::string state_fault(Workspace& workspace, const References& references, std::size_t steps) {
  const auto state = state_of(workspace);
  if (!state.ok()) return state.error().message;
  if (same(*state, references.at(steps))) return {};
  return fmt::format("{}, where {} steps lead to {}", text_of(*state), steps, text_of(references[steps]));
}

std::string step_fault(const std::filesystem::path& path, const References& references, std::size_t step) {
  auto workspace = Workspace::open(path, small_options());
  if (!workspace.ok()) return "cannot be opened again: " + workspace.error().message;
  const Status status = carry_out(*workspace, small_steps()[step]);
  return status.ok() ? state_fault(*workspace, references, step + 1) : "cannot go on: " + status.error().message;
}

}  // namespace

WorkspaceSetup small_setup() {
  WorkspaceSetup setup;
  setup.dataset.name = "small";
  setup.dataset.class_names = {"even", "odd"};
  Sequence random(3);
  for (std::size_t g = 0; g < kGraphs; ++g) {
    setup.dataset.graphs.push_back(small_graph(g, random));
    setup.dataset.labels.push_back(static_cast<std::uint32_t>(g % 2));
    setup.dataset.graph_ids.push_back(fmt::format("group-{}", g));
  }
  // Of what the steps remove, of what expires, and of what stays.
  setup.dataset.due.graphs.resize(kGraphs);
  for (const std::size_t g : {3U, 8U}) setup.dataset.due.graphs[g] = kLate;
  setup.dataset.due.graphs[10] = kEarly;
  setup.dataset.due.graphs[12] = kLate;
  setup.dataset.due.subjects = {{"user-23", kLate}, {"user-31", kEarly}, {"user-12", kLate}};
  setup.features = "attributes+degree-onehot:6";
  setup.transform.scales = 2;
  setup.transform.moments = 1;
  setup.transform.layers = 2;
  return setup;
}

Dataset small_addition() {
  Dataset more;
  more.class_names = {"even", "odd"};
  Sequence random(8);
  for (const std::size_t g : {20U, 21U}) {
    more.graphs.push_back(small_graph(g, random));
    more.labels.push_back(static_cast<std::uint32_t>(g % 2));
    more.graph_ids.push_back(fmt::format("group-{}", g));
  }
  return more;
}

WorkspaceOptions small_options() {
  WorkspaceOptions options;
  options.key = small_key();
  options.threads = 1;
  options.clock = [] { return std::int64_t{1'800'000'000}; };
  options.random = [] { return std::make_unique<SeededRandom>(17); };
  return options;
}

WorkspaceOptions recorded_options(const std::filesystem::path& workspace) {
  WorkspaceOptions options = small_options();
  options.record = workspace.parent_path() / "signing.key";
  return options;
}

const std::vector<Step>& small_steps() {
  static const std::vector<Step> steps = {
      {{ForgetNode{std::size_t{0}, std::size_t{1}}}},
      {{ForgetFeatures{"group-1", "user-11"}}},
      {{ForgetEdge{std::size_t{2}, std::size_t{0}, std::size_t{2}}}},
      {},
      {.adds = true},
      {.corrections = {SetFeatures{"group-5", "user-12", std::vector<double>{0.125}},
                       AddEdge{"group-6", std::size_t{1}, std::size_t{3}},
                       DropEdge{"group-10", std::size_t{0}, std::size_t{2}}, SetLabel{"group-7", "even"}}},
      {{ForgetGraph{std::size_t{3}}}},
      {{ForgetSubject{"user-23"}}},
      {{ForgetNode{std::size_t{4}, std::size_t{0}}, ForgetEdge{std::size_t{5}, std::size_t{1}, std::size_t{2}},
        ForgetFeatures{std::size_t{7}, std::size_t{3}}}},
      {{ForgetGraph{"group-8"}}},
      {{ForgetNode{"group-9", "user-10"}}},
      {.renews = true},
      {.expires = kEarly},
  };
  return steps;
}

std::vector<RemovalRequest> small_requests() {
  std::vector<RemovalRequest> all;
  for (const Step& step : small_steps()) all.insert(all.end(), step.requests.begin(), step.requests.end());
  return all;
}

Result<Forgotten> remove(Workspace& workspace, const Step& step) {
  if (!step.expires) return workspace.forget(step.requests);
  UNSCATTER_TRY(dates, workspace.due(*step.expires));
  UNSCATTER_TRY(removal, workspace.prepare_due(dates));
  if (!removal) return workspace.forget({});  // refused: it is done already, or the object takes no more work
  return removal->commit();
}

Status carry_out(Workspace& workspace, const Step& step) {
  if (step.renews) {
    UNSCATTER_CHECK_OK(workspace.renew());
  } else if (step.adds) {
    UNSCATTER_CHECK_OK(workspace.add(small_addition()));
  } else if (!step.corrections.empty()) {
    UNSCATTER_CHECK_OK(workspace.correct(step.corrections));
  } else if (step.releases()) {
    UNSCATTER_CHECK_OK(workspace.release());
  } else {
    UNSCATTER_CHECK_OK(remove(workspace, step));
  }
  return ok_status();
}

std::ostream& operator<<(std::ostream& stream, const WorkspaceState& state) { return stream << text_of(state); }

Result<WorkspaceState> state_of(Workspace& workspace) {
  UNSCATTER_TRY(session, workspace.session());
  UNSCATTER_TRY(replay, workspace.replay_digest());
  UNSCATTER_TRY(state, workspace.state_digest());
  const WorkspaceInfo& info = workspace.info();
  UNSCATTER_TRY(dates, workspace.due(std::numeric_limits<std::int64_t>::max()));
  Hasher due;
  for (const DueDate& date : dates) due.add(describe(date.what)).add(static_cast<std::uint64_t>(date.due));
  return WorkspaceState{info.entries, info.graphs, info.published, info.updates, content_digest(session->remaining()),
                        due.finish(), replay,      state};
}

Result<WorkspaceState> state_of(const std::filesystem::path& path) {
  UNSCATTER_TRY(workspace, Workspace::open(path, small_options()));
  return state_of(workspace);
}

References undisturbed_run(const std::filesystem::path& path, const std::function<void()>& pause,
                           const WorkspaceOptions& options) {
  References references;
  static_cast<void>(Workspace::create(path, small_setup(), options).value());
  references.push_back(state_of(path).value());
  pause();
  for (const Step& step : small_steps()) {
    {
      Workspace workspace = Workspace::open(path, options).value();
      static_cast<void>(carry_out(workspace, step).value());
      references.push_back(state_of(workspace).value());
    }
    pause();
  }
  return references;
}

References without_state(References references) {
  for (WorkspaceState& reference : references) reference.state = {};
  return references;
}

Inspection inspect(const std::filesystem::path& path, const References& references, std::size_t acknowledged) {
  Inspection inspection;
  auto workspace = Workspace::open(path, small_options());
  if (!workspace.ok()) return {0, "cannot be opened: " + workspace.error().message};
  inspection.steps = workspace->info().entries - 1;
  if (inspection.steps < acknowledged || inspection.steps > acknowledged + 1 || inspection.steps >= references.size()) {
    inspection.fault = fmt::format("{} steps are done, {} were acknowledged", inspection.steps, acknowledged);
    return inspection;
  }
  inspection.fault = state_fault(*workspace, references, inspection.steps);
  if (inspection.fault.empty()) inspection.fault = request_fault(*workspace, inspection.steps);
  return inspection;
}

std::string verification_fault(const std::filesystem::path& path) {
  const auto verification = verify_workspace(path, {}, small_options());
  if (!verification.ok()) return verification.error().message;
  for (const Check& check : verification->checks) {
    if (!check.passed) return fmt::format("verify: {}: {}", check.name, check.detail);
  }
  return verification->passed ? "" : "verify: not passed";
}

std::string continuation_fault(const std::filesystem::path& path, const References& references, std::size_t done,
                               std::size_t count) {
  for (; count > 0 && done < small_steps().size(); --count) {
    if (std::string fault = step_fault(path, references, done++); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace unscatter::testing
