// A workspace on a disk that fails: at every operation of every step, in every way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "crash/simulated_disk.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

// Sanitizers look for other mistakes, which do not hide behind a single operation.
constexpr std::size_t kStride = kSanitized ? 11 : 1;

constexpr std::size_t kNever = SIZE_MAX;
// Steps that differ in what they write: a node, a release, a graph, several graphs, a renewal, what is due.
const std::vector<std::size_t> kTypicalSteps = {0, 3, 4, 6, 9, 10};

WorkspaceState data_of(const std::filesystem::path& path) { return without_state({state_of(path).value()}).front(); }

std::vector<std::size_t> every_step() {
  std::vector<std::size_t> steps(small_steps().size());
  std::iota(steps.begin(), steps.end(), 0);
  return steps;
}

class WorkspaceFault : public ::testing::Test {
 protected:
  WorkspaceFault() : disk_(folder_.path(), 23) {
    references_ = undisturbed_run(path(), [&] { images_.push_back(disk_.content()); });
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "w.unscatter"; }

  // Opens the workspace as it is after `step` steps, carries out the next one and closes it, with `fault` ahead.  True:
  // the step was acknowledged.
  bool attempt(std::size_t step, const Fault& fault) {
    disk_.restore(images_[step]);
    disk_.arm(fault);
    auto workspace = Workspace::open(path(), small_options());
    return workspace.ok() && carry_out(*workspace, small_steps()[step]).ok();
  }

  // How many operations there are for a fault of this kind to hit in that step.
  std::size_t operations(std::size_t step, FaultKind kind) {
    EXPECT_TRUE(attempt(step, {kind, kNever}));
    return disk_.operations(kind);
  }

  // Drawn, here and below, so that no choice goes together with another one.
  PowerLoss any_loss() {
    constexpr PowerLoss kLossesByWeight[] = {PowerLoss::kSubset, PowerLoss::kSubset, PowerLoss::kPrefix,
                                             PowerLoss::kNothing};
    return kLossesByWeight[random_.below(4)];
  }

  // All cases are opened and compared, and verified before or after that (under sanitizers: some); some go on, a few to
  // the end.
  std::string what_is_wrong(std::size_t acknowledged) {
    const bool verify_first = random_.chance(0.3);
    std::string wrong = verify_first ? verification_fault(path()) : "";
    if (!wrong.empty()) return wrong;
    const Inspection inspection = inspect(path(), references_, acknowledged);
    if (!inspection.fault.empty()) return inspection.fault;
    if (!verify_first && kStride == 1) wrong = verification_fault(path());
    if (!wrong.empty() || random_.chance(0.7)) return wrong;
    return continuation_fault(path(), references_, inspection.steps, random_.chance(0.2) ? kNever : 1);
  }

  // Puts `fault` at every operation of these steps, or every `stride`-th, and inspects what is left.  Returns how often
  // something was wrong; the first such case is described in first_fault_.
  std::size_t sweep(Fault fault, const std::vector<std::size_t>& steps, std::size_t stride = kStride) {
    std::size_t found = 0;
    for (const std::size_t step : steps) {
      const std::size_t count = operations(step, fault.kind);
      EXPECT_GT(count, 0);
      for (fault.at = random_.below(stride); fault.at < count; fault.at += stride) {
        const bool acknowledged = attempt(step, fault);
        EXPECT_TRUE(disk_.struck());
        // Errors come with and without a power loss after them.
        if (fault.kind == FaultKind::kPowerLoss || random_.chance(0.5)) {
          disk_.reboot(any_loss());
        } else {
          disk_.disarm();
        }
        const std::string wrong = what_is_wrong(step + (acknowledged ? 1 : 0));
        if (!wrong.empty() && ++found == 1) {
          first_fault_ =
              fmt::format("step {}, {} at operation {} of {}: {}", step, name(fault.kind), fault.at, count, wrong);
        }
      }
    }
    return found;
  }

  TemporaryFolder folder_;
  SimulatedDisk disk_;
  Sequence random_{41};
  std::vector<DiskContent> images_;  // after 0, 1, ... steps
  References references_;
  std::string first_fault_;
};

TEST_F(WorkspaceFault, SurvivesAPowerLossAtAnyOperation) {
  EXPECT_EQ(sweep({FaultKind::kPowerLoss}, every_step()), 0) << first_fault_;
}

TEST_F(WorkspaceFault, SurvivesAnErrorAtAnyOperation) {
  EXPECT_EQ(sweep({FaultKind::kError}, every_step()), 0) << first_fault_;
}

TEST_F(WorkspaceFault, SurvivesLastingErrorsFromAnyOperationOn) {
  EXPECT_EQ(sweep({FaultKind::kError, 0, true}, every_step()), 0) << first_fault_;
}

TEST_F(WorkspaceFault, SurvivesAFullDiskFromAnyWriteOn) {
  EXPECT_EQ(sweep({FaultKind::kDiskFull, 0, true}, every_step()), 0) << first_fault_;
}

TEST_F(WorkspaceFault, SurvivesAReadErrorAtAnyOperation) {
  EXPECT_EQ(sweep({FaultKind::kReadError}, kTypicalSteps), 0) << first_fault_;
}

// The planted fault: without syncs the same sweep must find lost or damaged steps.
TEST_F(WorkspaceFault, ADiskThatLiesAboutSyncsIsCaught) {
  disk_.lie_about_syncs();
  EXPECT_GT(sweep({FaultKind::kPowerLoss}, kTypicalSteps, 7), 0);
}

// The process goes on after an error: the object is as it was and works, or refuses to.
TEST_F(WorkspaceFault, AfterAnErrorTheObjectIsAsItWasOrRefuses) {
  std::size_t went_on = 0;
  std::size_t refused = 0;
  for (const FaultKind kind : {FaultKind::kError, FaultKind::kDiskFull, FaultKind::kReadError}) {
    for (const std::size_t step : kTypicalSteps) {
      const std::size_t count = operations(step, kind);
      for (std::size_t at = 0; at < count; at += kStride) {
        SCOPED_TRACE(fmt::format("step {}, {} at operation {} of {}", step, name(kind), at, count));
        disk_.restore(images_[step]);
        disk_.arm({kind, at});
        bool done = false;
        bool in_force = false;
        {
          auto workspace = Workspace::open(path(), small_options());
          if (!workspace.ok()) continue;
          const Status first = carry_out(*workspace, small_steps()[step]);
          if (first.ok()) continue;
          disk_.disarm();
          // An error says so if the step is in force all the same, and only its traces could not be cleared.
          in_force = first.error().message.find("recorded as") != std::string::npos;
          const auto state = state_of(*workspace);
          EXPECT_TRUE(!state.ok() || *state == references_[step + (in_force ? 1 : 0)]);
          const Status again = carry_out(*workspace, small_steps()[step]);
          done = again.ok();
          ++(done ? went_on : refused);
          if (done) {
            // A model that is published already is handed out again by an object that refuses everything else.
            const auto after = state_of(*workspace);
            EXPECT_TRUE(after.ok() ? *after == references_[step + 1] : in_force);
          } else {
            EXPECT_EQ(again.error().code, ErrorCode::kIo) << again.error().message;
          }
        }
        EXPECT_EQ(what_is_wrong(step + (done || in_force ? 1 : 0)), "");
      }
    }
  }
  // Both happen, or this test would say less than it seems to.
  EXPECT_GT(refused, 0);
  if (kStride == 1) {
    EXPECT_GT(went_on, 0);
  }
}

// There is a complete workspace or none, never a half one.
TEST_F(WorkspaceFault, APowerLossWhileCreatingLeavesAllOrNothing) {
  disk_.restore({});
  disk_.arm({FaultKind::kPowerLoss, kNever});
  ASSERT_TRUE(Workspace::create(path(), small_setup(), small_options()).ok());
  const std::size_t count = disk_.operations(FaultKind::kPowerLoss);
  std::size_t complete = 0;
  std::size_t nothing = 0;
  constexpr PowerLoss kEveryKind[] = {PowerLoss::kSubset, PowerLoss::kPrefix, PowerLoss::kNothing};
  constexpr std::size_t kTries = kStride == 1 ? 3 : 1;
  for (std::size_t i = 0; i < kTries * (count + 1); ++i) {
    const std::size_t at = i / kTries;  // the last: after everything
    SCOPED_TRACE(fmt::format("power loss at operation {} of {}", at, count));
    disk_.restore({});
    disk_.arm({FaultKind::kPowerLoss, at});
    const bool acknowledged = Workspace::create(path(), small_setup(), small_options()).ok();
    disk_.reboot(kEveryKind[i % 3]);
    const auto state = state_of(path());
    if (state.ok()) {
      ++complete;
      EXPECT_EQ(*state, references_[0]);
      EXPECT_EQ(verification_fault(path()), "");
    } else {
      ++nothing;
      EXPECT_FALSE(acknowledged) << state.error().message;
      EXPECT_TRUE(state.error().code == ErrorCode::kNotFound || state.error().code == ErrorCode::kMalformedInput);
      EXPECT_NE(state.error().message.find("w.unscatter"), std::string::npos) << state.error().message;
    }
  }
  EXPECT_GT(nothing, 0);
  EXPECT_GT(complete, 0);
}

TEST_F(WorkspaceFault, AFailedCreationLeavesNoFile) {
  for (const FaultKind kind : {FaultKind::kError, FaultKind::kDiskFull}) {
    disk_.restore({});
    disk_.arm({kind, kNever});
    ASSERT_TRUE(Workspace::create(path(), small_setup(), small_options()).ok());
    const std::size_t count = disk_.operations(kind);
    for (std::size_t at = 0; at < count; at += kStride) {
      SCOPED_TRACE(fmt::format("{} at operation {} of {}", name(kind), at, count));
      disk_.restore({});
      disk_.arm({kind, at, at % 2 == 1});
      const bool created = Workspace::create(path(), small_setup(), small_options()).ok();
      disk_.disarm();
      if (created) {
        EXPECT_EQ(inspect(path(), references_, 0).fault, "");
      } else {
        EXPECT_EQ(disk_.content().size(), 0);
      }
    }
  }
}

// A due date that is set is set or as it was, and the summary of all dates fits in both cases.
TEST_F(WorkspaceFault, SettingADueDateIsAllOrNothing) {
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const auto change = [&]() -> Status {
    UNSCATTER_TRY(workspace, Workspace::open(path(), small_options()));
    return workspace.set_due(ForgetSubject{"user-30"}, 1'850'000'000);
  };
  for (const FaultKind kind : {FaultKind::kPowerLoss, FaultKind::kError, FaultKind::kDiskFull}) {
    disk_.restore(images_[0]);
    disk_.arm({kind, kNever});
    ASSERT_TRUE(change().ok());
    const std::size_t count = disk_.operations(kind);
    std::size_t set = 0;
    std::size_t unset = 0;
    for (std::size_t at = 0; at < count; at += kStride) {
      SCOPED_TRACE(fmt::format("{} at operation {} of {}", name(kind), at, count));
      disk_.restore(images_[0]);
      disk_.arm({kind, at});
      const bool acknowledged = change().ok();
      kind == FaultKind::kPowerLoss ? disk_.reboot(any_loss()) : disk_.disarm();
      const std::size_t dates = Workspace::open(path(), small_options()).value().due(last).value().size();
      ++(dates == 8 ? set : unset);
      EXPECT_TRUE(dates == 8 || (dates == 7 && !acknowledged)) << dates;
      EXPECT_EQ(verification_fault(path()), "");
    }
    EXPECT_GT(unset, 0);
    if (kStride == 1 && kind == FaultKind::kPowerLoss) {
      EXPECT_GT(set, 0);
    }
  }
}

// A list that is given again goes on where it stopped: no request twice, none left out.
TEST_F(WorkspaceFault, AListGoesOnWhereAPowerLossStoppedIt) {
  const std::vector<RemovalRequest> requests = small_requests();
  std::size_t acknowledged = 0;
  Workspace::ListOptions options;
  options.batch = 3;
  options.acknowledge = [&](std::size_t done, const Forgotten&) { acknowledged = done; };
  const auto run = [&](const Fault& fault) -> Result<Workspace::ListOutcome> {
    acknowledged = 0;
    disk_.arm(fault);
    UNSCATTER_TRY(workspace, Workspace::open(path(), small_options()));
    return workspace.forget_list(requests, options);
  };
  disk_.restore(images_[0]);
  ASSERT_EQ(run({FaultKind::kPowerLoss, kNever}).value().honoured, requests.size());
  const std::size_t count = disk_.operations(FaultKind::kPowerLoss);
  const WorkspaceState end = data_of(path());

  for (std::size_t at = 0; at < count; at += kStride) {
    SCOPED_TRACE(fmt::format("power loss at operation {} of {}", at, count));
    disk_.restore(images_[0]);
    static_cast<void>(run({FaultKind::kPowerLoss, at}));
    const std::size_t done = acknowledged;
    disk_.reboot(any_loss());
    const auto outcome = run({FaultKind::kPowerLoss, kNever});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_TRUE(outcome->done_before == done || outcome->done_before == std::min(done + options.batch, requests.size()))
        << outcome->done_before << " after " << done;
    EXPECT_EQ(outcome->done_before + outcome->honoured, requests.size());
    EXPECT_TRUE(outcome->refused.empty());
    EXPECT_EQ(data_of(path()), end);
  }
}

// A file of format 1 is of format 1 or 2 afterwards, and good in both cases.
TEST_F(WorkspaceFault, AnUpgradeIsAllOrNothing) {
  const std::filesystem::path old_files = UNSCATTER_OLD_WORKSPACES;
  TemporaryFolder keys;
  std::filesystem::copy_file(old_files / "signing.key", keys.path() / "signing.key");
  std::filesystem::permissions(keys.path() / "signing.key",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  WorkspaceOptions how = small_options();
  how.key = std::make_shared<const SigningKey>(SigningKey::load(keys.path() / "signing.key").value());
  const DiskContent old_file = {{"w.unscatter", read_whole_file(old_files / "release.unscatter")}};
  WorkspaceOptions reading = how;
  reading.key = nullptr;
  for (const FaultKind kind : {FaultKind::kPowerLoss, FaultKind::kError}) {
    disk_.restore(old_file);
    disk_.arm({kind, kNever});
    { ASSERT_EQ(Workspace::open(path(), how).value().info().format, 2u); }
    const std::size_t count = disk_.operations(kind);
    std::size_t upgraded = 0;
    std::size_t untouched = 0;
    for (std::size_t at = 0; at < count; at += kStride) {
      SCOPED_TRACE(fmt::format("{} at operation {} of {}", name(kind), at, count));
      disk_.restore(old_file);
      disk_.arm({kind, at});
      { static_cast<void>(Workspace::open(path(), how)); }
      if (kind == FaultKind::kPowerLoss) {
        disk_.reboot(any_loss());
      } else {
        disk_.disarm();
      }
      {
        const Workspace left = Workspace::open(path(), reading).value();
        ++(left.info().format == 2 ? upgraded : untouched);
      }
      ASSERT_EQ(verification_fault(path()), "");
      ASSERT_EQ(Workspace::open(path(), how).value().info().format, 2u);
      ASSERT_EQ(verification_fault(path()), "");
    }
    EXPECT_GT(untouched, 0);
    if (kStride == 1) {
      EXPECT_GT(upgraded, 0);
    }
  }
}

// An older copy that is brought up to date is the old copy or all done, and its record takes it in both cases.
TEST_F(WorkspaceFault, AReplayIsAllOrNothing) {
  const WorkspaceOptions how = recorded_options(path());
  std::vector<Opening> openings;
  disk_.restore(images_[0]);
  for (const Step& step : small_steps()) {
    Workspace workspace = Workspace::open(path(), how).value();
    if (step.adds || !step.corrections.empty()) continue;  // a replay cannot repeat them
    if (!step.removes()) {
      ASSERT_TRUE(carry_out(workspace, step).ok());
      continue;
    }
    const Forgotten done = remove(workspace, step).value();
    for (std::size_t i = 0; i < done.salts.size(); ++i) {
      openings.push_back({done.entry.sequence, done.entry.commitments[i], done.requests[i], done.salts[i]});
    }
  }
  const WorkspaceState newest = state_of(path()).value();
  // The record as it stands, beside an old copy of the file.
  DiskContent restored = disk_.content();
  restored["w.unscatter"] = images_[2].at("w.unscatter");
  const auto replay = [&]() -> Status {
    UNSCATTER_TRY(workspace, Workspace::open(path(), how));
    UNSCATTER_CHECK_OK(workspace.replay(openings));
    return ok_status();
  };
  disk_.restore(restored);
  disk_.arm({FaultKind::kPowerLoss, kNever});
  ASSERT_TRUE(replay().ok());
  const std::size_t count = disk_.operations(FaultKind::kPowerLoss);
  std::size_t done = 0;
  std::size_t old_copies = 0;
  for (std::size_t at = 0; at < count; at += kStride) {
    SCOPED_TRACE(fmt::format("power loss at operation {} of {}", at, count));
    disk_.restore(restored);
    disk_.arm({FaultKind::kPowerLoss, at});
    const bool acknowledged = replay().ok();
    disk_.reboot(any_loss());
    const bool is_old = Workspace::open(path(), how).value().info().outdated.has_value();
    ++(is_old ? old_copies : done);
    EXPECT_FALSE(acknowledged && is_old);
    if (is_old) {
      const Status again = replay();
      ASSERT_TRUE(again.ok()) << again.error().message;
    }
    const WorkspaceState state = state_of(path()).value();
    ASSERT_EQ(state.data, newest.data);
    ASSERT_EQ(state.published, newest.published);
    ASSERT_EQ(verification_fault(path()), "");
  }
  EXPECT_GT(old_copies, 0);
  if (kStride == 1) {
    EXPECT_GT(done, 0);
  }
}

// Requests of an update that may be in force after all must not be passed over as refused.
TEST_F(WorkspaceFault, AnErrorInAListIsNoRefusal) {
  const std::vector<RemovalRequest> requests = small_requests();
  Workspace::ListOptions options;
  options.batch = 3;
  options.skip_refused = true;
  const auto run = [&](const Fault& fault) -> Result<Workspace::ListOutcome> {
    disk_.restore(images_[0]);
    disk_.arm(fault);
    UNSCATTER_TRY(workspace, Workspace::open(path(), small_options()));
    return workspace.forget_list(requests, options);
  };
  ASSERT_EQ(run({FaultKind::kError, kNever}).value().honoured, requests.size());
  const std::size_t count = disk_.operations(FaultKind::kError);
  std::size_t failed = 0;
  for (std::size_t at = 0; at < count; at += kStride) {
    SCOPED_TRACE(fmt::format("error at operation {} of {}", at, count));
    const auto outcome = run({FaultKind::kError, at});
    if (!outcome.ok()) ++failed;
    if (outcome.ok()) {
      EXPECT_EQ(outcome->honoured, requests.size());
      EXPECT_TRUE(outcome->refused.empty());
    }
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace unscatter::testing
