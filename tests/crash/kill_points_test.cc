// Every command, killed before every system call that changes a file.  What was acknowledged is there, nothing is half
// there, and the next process goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crash/kill_points.h"
#include "crash/plain_database.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/store/verify.h"

namespace unscatter::testing {
namespace {

namespace fs = std::filesystem;

// Sanitizers look for other mistakes, which do not hide behind a single call.
constexpr std::size_t kPointStride = kSanitized ? 13 : 1;

using FolderContent = std::map<std::string, std::string>;  // files by name

// A command, from what it begins with to what must hold after it was killed.
struct KilledCommand {
  std::string name;
  FolderContent before;
  std::function<Status(const Acknowledge&)> work;
  // What is wrong; empty: nothing.  `acknowledged`: how much the killed process said was done.
  std::function<std::string(std::size_t acknowledged)> fault;
};

class KillPoints : public ::testing::Test {
 protected:
  KillPoints() {
    references_ = undisturbed_run(
        path(), [&] { images_.push_back(content()); }, recorded_options(path()));
    old_key_ = std::make_shared<const SigningKey>([] {
      const TemporaryFolder folder(memory_folder());
      const fs::path key = folder.path() / "signing.key";
      fs::copy_file(fs::path(UNSCATTER_OLD_WORKSPACES) / "signing.key", key);
      fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
      return SigningKey::load(key).value();
    }());
  }

  [[nodiscard]] fs::path path() const { return folder_.path() / "w.unscatter"; }
  [[nodiscard]] fs::path copy() const { return folder_.path() / "copy.unscatter"; }
  [[nodiscard]] fs::path data() const { return folder_.path() / "data.jsonl"; }

  [[nodiscard]] FolderContent content() const {
    FolderContent files;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      files.emplace(entry.path().filename().string(), read_whole_file(entry.path()));
    }
    return files;
  }
  void restore(const FolderContent& files) const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    for (const auto& [name, bytes] : files) static_cast<void>(folder_.write(name, bytes));
  }
  [[nodiscard]] bool is_in_a_file(const std::string& trace) const {
    const FolderContent files = content();
    for (const auto& [name, bytes] : files) {
      if (bytes.find(trace) != std::string::npos) return true;
    }
    return false;
  }

  // Kills it at every point, or at every `stride`-th.  Returns how often; the first thing that is wrong ends it.
  std::size_t sweep(const KilledCommand& command, std::size_t stride = kPointStride) {
    first_fault_.clear();
    std::size_t points = 0;
    for (KillPoint point{random_.below(stride)};; point.at += stride) {
      restore(command.before);
      point.half = random_.chance(0.3);
      const KilledRun run = run_and_kill(point, command.work);
      if (run.failed) first_fault_ = "it failed without being killed";
      if (!run.killed) break;
      ++points;
      first_fault_ = command.fault(run.acknowledged);
      if (first_fault_.empty()) continue;
      first_fault_ = fmt::format("{}, killed at call {}{}: {}", command.name, point.at,
                                 point.half ? ", half a write" : "", first_fault_);
      break;
    }
    return points;
  }

  [[nodiscard]] static std::string soundness_fault(const fs::path& file) {
    const auto found = check_workspace(file, {});
    if (!found.ok()) return found.error().message;
    for (const Check& check : found->checks) {
      if (!check.passed) return fmt::format("check: {}: {}", check.name, check.detail);
    }
    return {};
  }

  // A step of the small workspace, by a process that has just started.  With `early` it is acknowledged before it is
  // done: a planted fault.
  KilledCommand step_command(std::size_t step, bool early = false) {
    KilledCommand command{fmt::format("step {}: {}", step, words_for(small_steps()[step])), images_[step], {}, {}};
    command.work = [this, step, early](const Acknowledge& acknowledge) -> Status {
      UNSCATTER_TRY(workspace, Workspace::open(path(), recorded_options(path())));
      if (early) acknowledge();
      UNSCATTER_CHECK_OK(carry_out(workspace, small_steps()[step]));
      if (!early) acknowledge();
      return ok_status();
    };
    command.fault = [this, step](std::size_t acknowledged) { return step_fault_after(step, acknowledged); };
    return command;
  }

  [[nodiscard]] static std::string words_for(const Step& step) {
    if (step.renews) return "renew";
    if (step.adds) return "add";
    if (step.expires) return "expire";
    if (step.releases()) return "release";
    if (!step.corrections.empty()) return "correct";
    return "forget " + describe(step.requests[0]) + (step.requests.size() > 1 ? " and others" : "");
  }

  std::string step_fault_after(std::size_t step, std::size_t acknowledged) {
    if (random_.chance(0.2)) {
      if (std::string wrong = verification_fault(path()); !wrong.empty()) return wrong;
    }
    {
      // Whenever the process ended, between the commit and the record too, its own file is not called an old one.
      auto opened = Workspace::open(path(), recorded_options(path()));
      if (!opened.ok()) return "cannot be opened: " + opened.error().message;
      if (opened->info().outdated) return opened->info().outdated->message;
    }
    const Inspection inspection = inspect(path(), references_, step + acknowledged);
    if (!inspection.fault.empty()) return inspection.fault;
    if (std::string trace = trace_after(step, inspection.steps > step); !trace.empty() && is_in_a_file(trace)) {
      return fmt::format("'{}' is in a file", trace);
    }
    if (random_.chance(0.2)) return continuation_fault(path(), references_, inspection.steps, 1);
    return {};
  }

  // What must not be in any file once the workspace was opened again: what the step removed, or what it would have
  // added.
  [[nodiscard]] static std::string trace_after(std::size_t step, bool done) {
    const Step& what = small_steps()[step];
    if (what.adds) return done ? "" : "group-20";
    if (!done) return {};
    if (what.expires) return "user-31";
    if (what.requests.size() != 1) return {};
    if (const auto* subject = std::get_if<ForgetSubject>(&what.requests[0])) return subject->id;
    if (const auto* graph = std::get_if<ForgetGraph>(&what.requests[0])) {
      const auto* id = std::get_if<std::string>(&graph->graph);
      return id != nullptr ? *id : fmt::format("group-{}", std::get<std::size_t>(graph->graph));
    }
    return {};
  }

  // A list in three updates, which a later process ends.
  KilledCommand list_command(bool early = false) {
    const std::vector<RemovalRequest> list = {ForgetNode{0u, 1u},       ForgetGraph{3u},
                                              ForgetSubject{"user-23"}, ForgetFeatures{"group-1", "user-11"},
                                              ForgetGraph{"group-8"},   ForgetNode{4u, 0u}};
    Workspace::ListOptions batches;
    batches.batch = 2;
    restore(images_[0]);
    auto states = std::make_shared<References>(1, references_[0]);
    {
      // Acknowledged by hand, because the state is read between two updates.
      for (std::size_t first = 0; first < list.size(); first += 2) {
        Workspace workspace = Workspace::open(path(), small_options()).value();
        batches.stop = [&] { return workspace.info().entries == states->size() + 1; };
        static_cast<void>(workspace.forget_list(list, batches).value());
        states->push_back(state_of(workspace).value());
        states->back().state = {};
      }
      states->front().state = {};
      batches.stop = nullptr;
    }
    KilledCommand command{"a list", images_[0], {}, {}};
    command.work = [this, list, batches, early](const Acknowledge& acknowledge) -> Status {
      UNSCATTER_TRY(workspace, Workspace::open(path(), recorded_options(path())));
      Workspace::ListOptions options = batches;
      if (early) acknowledge();
      options.acknowledge = [&](std::size_t, const Forgotten&) { acknowledge(); };
      UNSCATTER_CHECK_OK(workspace.forget_list(list, options));
      return ok_status();
    };
    command.fault = [this, list, batches, states](std::size_t acknowledged) -> std::string {
      {
        auto workspace = Workspace::open(path(), recorded_options(path()));
        if (!workspace.ok()) return workspace.error().message;
        if (workspace->info().outdated) return workspace->info().outdated->message;
        const std::size_t updates = workspace->info().entries - 1;
        if (updates < acknowledged || updates > acknowledged + 1 || updates >= states->size()) {
          return fmt::format("{} updates are done, {} were acknowledged", updates, acknowledged);
        }
        if (is_in_a_file("group-3") == (updates > 0)) return "a removed graph is in a file, or the scan is blind";
        const auto done = workspace->forget_list(list, batches);
        if (!done.ok()) return done.error().message;
        if (done->done_before + done->honoured != list.size()) return "the list went on at another place";
      }
      WorkspaceState state = state_of(path()).value();
      state.state = {};
      if (state != states->back()) return "the list has another end";
      return random_.chance(0.2) ? verification_fault(path()) : "";
    };
    return command;
  }

  // Rows, tree, index and curvature that are missing or damaged are made anew before a removal.
  KilledCommand rebuild_command(const char* damage) {
    const std::size_t step = 6;
    restore(images_[step]);
    {
      PlainDatabase database(path());
      EXPECT_TRUE(database.execute("PRAGMA locking_mode = EXCLUSIVE")) << database.error();
      EXPECT_TRUE(database.execute(damage)) << database.error();
      EXPECT_TRUE(database.execute("PRAGMA wal_checkpoint(TRUNCATE)")) << database.error();
    }
    KilledCommand command = step_command(step);
    command.name = "kept state made anew";
    command.before = content();
    // Weights that were stepped to with other curvature differ in their last digits.
    command.fault = [this](std::size_t acknowledged) -> std::string {
      const Inspection inspection = inspect(path(), without_state(references_), step + acknowledged);
      if (!inspection.fault.empty()) return inspection.fault;
      {
        // Whoever needs the kept state makes it.
        auto workspace = Workspace::open(path(), small_options());
        if (!workspace.ok()) return workspace.error().message;
        const std::size_t next = inspection.steps;
        if (Status done = carry_out(*workspace, small_steps()[next]); !done.ok()) return done.error().message;
      }
      return verification_fault(path());
    };
    return command;
  }

  KilledCommand compaction_command() {
    KilledCommand command{"compact", images_.back(), {}, {}};
    command.work = [this](const Acknowledge& acknowledge) -> Status {
      UNSCATTER_CHECK_OK(compact_workspace(path(), small_options()));
      acknowledge();
      return ok_status();
    };
    command.fault = [this](std::size_t) { return finished_fault(path()); };
    return command;
  }

  // Of the workspace after all steps, or of a copy of it.
  std::string finished_fault(const fs::path& file) {
    if (std::string wrong = soundness_fault(file); !wrong.empty()) return wrong;
    if (is_in_a_file("group-3")) return "a graph that was removed long ago is in a file";
    const auto state = state_of(file);
    if (!state.ok()) return state.error().message;
    // All graphs are read into a session here, and in the undisturbed run only before the last step.
    if (without_state({*state}) != without_state({references_.back()})) return "it says something else";
    return {};
  }

  KilledCommand backup_command(bool replaces) {
    KilledCommand command{replaces ? "backup over another one" : "backup", images_.back(), {}, {}};
    if (replaces) command.before["copy.unscatter"] = images_[5].at("w.unscatter");
    command.work = [this](const Acknowledge& acknowledge) -> Status {
      WorkspaceOptions reading = small_options();
      reading.read_only = true;
      UNSCATTER_TRY(workspace, Workspace::open(path(), reading));
      UNSCATTER_CHECK_OK(workspace.backup(copy(), {.replace = true}));
      acknowledge();
      return ok_status();
    };
    command.fault = [this, replaces](std::size_t acknowledged) { return copy_fault(replaces, acknowledged > 0); };
    return command;
  }

  std::string copy_fault(bool replaces, bool acknowledged) {
    if (std::string wrong = soundness_fault(path()); !wrong.empty()) return wrong;
    if (!fs::exists(copy())) return acknowledged || replaces ? "there is no copy" : "";
    if (std::string wrong = soundness_fault(copy()); !wrong.empty()) return wrong;
    const std::size_t entries = Workspace::open(copy(), small_options()).value().info().entries;
    if (entries == references_.back().entries) return finished_fault(path());
    const bool older = replaces && !acknowledged && entries == references_[5].entries;
    return older ? "" : fmt::format("a copy of {} entries", entries);
  }

  // A file of unscatter 0.1.
  KilledCommand upgrade_command() {
    KilledCommand command{"upgrade", {}, {}, {}};
    command.before["w.unscatter"] = read_whole_file(fs::path(UNSCATTER_OLD_WORKSPACES) / "release.unscatter");
    command.work = [this](const Acknowledge& acknowledge) -> Status {
      UNSCATTER_CHECK_OK(upgrade_workspace(path(), old_options()));
      acknowledge();
      return ok_status();
    };
    command.fault = [this](std::size_t acknowledged) -> std::string {
      if (std::string wrong = soundness_fault(path()); !wrong.empty()) return wrong;
      WorkspaceOptions keyless = old_options();
      keyless.key = nullptr;
      const std::uint32_t format = Workspace::open(path(), keyless).value().info().format;
      if (acknowledged > 0 && format != 2) return "it was said to be upgraded";
      const auto done = upgrade_workspace(path(), old_options());
      if (!done.ok()) return done.error().message;
      if (done->done == (format == 2)) return "an upgrade is done twice, or not at all";
      const RemovalRequest request = ForgetGraph{std::size_t{1}};
      auto workspace = Workspace::open(path(), old_options()).value();
      if (auto forgotten = workspace.forget(std::span(&request, 1)); !forgotten.ok()) return forgotten.error().message;
      return {};
    };
    return command;
  }
  [[nodiscard]] WorkspaceOptions old_options() const {
    WorkspaceOptions options = small_options();
    options.key = old_key_;
    return options;
  }

  // A new workspace, of a file that is read twice or of graphs in memory.  A planted fault begins with some graphs and
  // adds the others.
  KilledCommand creation_command(bool streamed, bool in_two_parts = false) {
    const Dataset dataset = small_setup().dataset;
    restore({});
    static_cast<void>(write_jsonl(dataset, data()).value());
    KilledCommand command{streamed ? "streamed creation" : "creation", content(), {}, {}};
    const auto setup_of = [this, streamed]() -> Result<WorkspaceSetup> {
      WorkspaceSetup setup = small_setup();
      if (!streamed) return setup;
      setup.dataset = {};
      setup.dataset.name = "small";
      const fs::path lines = data();
      UNSCATTER_CHECK_OK(survey(setup, [lines] { return GraphStream::open(lines); }, {.threads = 1}));
      return setup;
    };
    WorkspaceState whole;
    {
      Workspace made = Workspace::create(path(), setup_of().value(), small_options()).value();
      whole = state_of(made).value();
    }
    command.work = [this, setup_of, in_two_parts](const Acknowledge& acknowledge) -> Status {
      UNSCATTER_TRY(setup, setup_of());
      Dataset others;
      if (in_two_parts) {
        const std::vector<std::size_t> first = {0, 1, 2, 3, 4, 5};
        const std::vector<std::size_t> second = {6, 7, 8, 9, 10, 11, 12, 13};
        others = subset(setup.dataset, second);
        setup.dataset = subset(setup.dataset, first);
      }
      UNSCATTER_TRY(workspace, Workspace::create(path(), std::move(setup), recorded_options(path())));
      if (in_two_parts) UNSCATTER_CHECK_OK(workspace.add(std::move(others)));
      acknowledge();
      return ok_status();
    };
    command.fault = [this, whole](std::size_t acknowledged) -> std::string {
      auto workspace = Workspace::open(path(), recorded_options(path()));
      if (!workspace.ok()) {
        if (acknowledged > 0) return workspace.error().message;
        // There is none, and nobody takes what is there for one.
        return fs::exists(path()) && soundness_fault(path()).empty() ? "a sound file that cannot be opened" : "";
      }
      const auto state = state_of(*workspace);
      if (!state.ok()) return state.error().message;
      return *state == whole ? "" : "it is another workspace";
    };
    return command;
  }

  // A due date, which has no entry.
  KilledCommand date_command() {
    const std::size_t step = 5;
    const RemovalRequest what = ForgetSubject{"user-12"};
    KilledCommand command{"set a due date", images_[step], {}, {}};
    command.work = [this, what](const Acknowledge& acknowledge) -> Status {
      UNSCATTER_TRY(workspace, Workspace::open(path(), recorded_options(path())));
      UNSCATTER_CHECK_OK(workspace.set_due(what, 1'850'000'000));
      acknowledge();
      return ok_status();
    };
    command.fault = [this](std::size_t acknowledged) -> std::string {
      if (std::string wrong = verification_fault(path()); !wrong.empty()) return wrong;
      auto workspace = Workspace::open(path(), small_options());
      if (!workspace.ok()) return workspace.error().message;
      const auto due = workspace->subject("user-12").value().due;
      if (due != 1'850'000'000 && (acknowledged > 0 || due != 1'900'000'000)) return "it has another date";
      const WorkspaceState state = state_of(*workspace).value();
      return state.replay == references_[step].replay ? "" : "more than the date changed";
    };
    return command;
  }

  // All of them.
  std::vector<KilledCommand> commands() {
    std::vector<KilledCommand> all;
    for (std::size_t step = 0; step < small_steps().size(); ++step) all.push_back(step_command(step));
    all.push_back(list_command());
    for (const char* damage : {"DROP TABLE embeddings; DROP TABLE members; DROP TABLE tree; DROP TABLE curvature",
                               "UPDATE members SET seal = zeroblob(32)", "DELETE FROM tree"}) {
      all.push_back(rebuild_command(damage));
    }
    all.push_back(compaction_command());
    all.push_back(backup_command(false));
    all.push_back(backup_command(true));
    all.push_back(upgrade_command());
    all.push_back(creation_command(true));
    all.push_back(creation_command(false));
    all.push_back(date_command());
    return all;
  }

  TemporaryFolder folder_{memory_folder()};
  std::vector<FolderContent> images_;  // after 0, 1, ... steps
  References references_;
  std::shared_ptr<const SigningKey> old_key_;
  Sequence random_{61};
  std::string first_fault_;
};

TEST_F(KillPoints, NoCommandLosesOrHalvesAnything) {
  std::size_t points = 0;
  std::string table;
  for (const KilledCommand& command : commands()) {
    const std::size_t here = sweep(command);
    ASSERT_EQ(first_fault_, "");
    EXPECT_GT(here, 0u) << command.name;
    points += here;
    table += fmt::format("{:>6}  {}\n", here, command.name);
  }
  std::cout << table << points << " SIGKILL points, nothing lost, nothing half done\n";
  EXPECT_GE(points, kSanitized ? 80u : 1000u);
}

// The planted faults: a program that says too early that something is done ...
TEST_F(KillPoints, AnEarlyAcknowledgementIsCaughtInEveryStep) {
  // A step makes a dozen calls between the two moments.  A sweep ends with the first fault that it finds.
  constexpr std::size_t kFaultStride = std::min<std::size_t>(kPointStride, 3);
  for (std::size_t step = 0; step < small_steps().size(); ++step) {
    static_cast<void>(sweep(step_command(step, true), kFaultStride));
    EXPECT_NE(first_fault_.find("were acknowledged"), std::string::npos) << "step " << step << ": " << first_fault_;
  }
  static_cast<void>(sweep(list_command(true)));
  EXPECT_NE(first_fault_.find("were acknowledged"), std::string::npos) << first_fault_;
}

// ... and one that does in two parts what has to be done at once.
TEST_F(KillPoints, WorkInTwoPartsIsCaught) {
  static_cast<void>(sweep(creation_command(false, true)));
  EXPECT_NE(first_fault_.find("another workspace"), std::string::npos) << first_fault_;

  // A copy under its own name, and a file that is written anew in its own place: page by page.
  const auto written_in_pieces = [this](KilledCommand command, const fs::path& to) {
    command.work = [this, to](const Acknowledge& acknowledge) -> Status {
      const std::string whole = read_whole_file(path());
      std::ofstream out(to, std::ios::binary | std::ios::trunc);
      for (std::size_t at = 0; at < whole.size(); at += 4096) out << whole.substr(at, 4096) << std::flush;
      acknowledge();
      return ok_status();
    };
    return command;
  };
  static_cast<void>(sweep(written_in_pieces(backup_command(false), copy())));
  EXPECT_NE(first_fault_, "");
  static_cast<void>(sweep(written_in_pieces(compaction_command(), path())));
  EXPECT_NE(first_fault_, "");

  // The number of the format before what belongs to it, each in a transaction of its own.
  KilledCommand upgrading = upgrade_command();
  upgrading.work = [this](const Acknowledge& acknowledge) -> Status {
    {
      PlainDatabase database(path());
      static_cast<void>(database.execute("PRAGMA user_version = 2"));
      static_cast<void>(database.execute("DELETE FROM published"));
    }
    UNSCATTER_CHECK_OK(upgrade_workspace(path(), old_options()));
    acknowledge();
    return ok_status();
  };
  static_cast<void>(sweep(upgrading));
  EXPECT_NE(first_fault_, "");

  // A removal without the dates that go with it, which are erased afterwards.
  KilledCommand expiring = step_command(7);
  expiring.work = [this](const Acknowledge& acknowledge) -> Status {
    const RemovalRequest subject = ForgetSubject{"user-23"};
    UNSCATTER_TRY(workspace, Workspace::open(path(), recorded_options(path())));
    UNSCATTER_CHECK_OK(workspace.set_due(subject, std::nullopt));
    UNSCATTER_CHECK_OK(workspace.forget(std::span(&subject, 1)));
    acknowledge();
    return ok_status();
  };
  static_cast<void>(sweep(expiring));
  EXPECT_NE(first_fault_, "");
}

}  // namespace
}  // namespace unscatter::testing
