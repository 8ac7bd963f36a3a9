// Care of a workspace on a disk that fails: compacting, copying, full disks, locks that do not work.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "crash/plain_database.h"
#include "crash/simulated_disk.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "unscatter/store/verify.h"

namespace unscatter::testing {
namespace {

constexpr std::size_t kCareStride = kSanitized ? 29 : 4;
constexpr std::size_t kNoFault = SIZE_MAX;
const std::string kTrace(60, 'T');

class CareFault : public ::testing::Test {
 protected:
  CareFault() : disk_(folder_.path(), 43) {
    references_ = undisturbed_run(path(), [&] { images_.push_back(disk_.content()); });
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "w.unscatter"; }
  [[nodiscard]] std::filesystem::path copy() const { return folder_.path() / "copy.unscatter"; }
  [[nodiscard]] static WorkspaceOptions reading() {
    WorkspaceOptions options = small_options();
    options.read_only = true;
    return options;
  }

  // The finished workspace, with something in it that a careless program left in unused bytes.
  DiskContent with_trace() {
    disk_.restore(images_.back());
    {
      PlainDatabase database(path());
      EXPECT_TRUE(
          database.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA secure_delete=OFF; INSERT INTO receipts "
                           "VALUES(99, '" +
                           kTrace + "'); DELETE FROM receipts WHERE sequence = 99"))
          << database.error();
      EXPECT_TRUE(database.execute("PRAGMA wal_checkpoint(TRUNCATE)")) << database.error();
    }
    return disk_.content();
  }
  static std::size_t traces_in(const DiskContent& content) {
    std::size_t count = 0;
    for (const auto& [name, bytes] : content) count += bytes.find(kTrace) != std::string::npos ? 1u : 0u;
    return count;
  }

  // What is wrong with the finished workspace; empty: nothing.
  std::string fault_of(const std::filesystem::path& file) {
    const auto found = check_workspace(file, {});
    if (!found.ok()) return found.error().message;
    for (const Check& check : found->checks) {
      // The trace, where compacting did not come to its end.
      if (!check.passed && check.name != "erasure") return check.name + ": " + check.detail;
    }
    const auto state = state_of(file);
    if (!state.ok()) return state.error().message;
    return *state == references_.back() ? "" : "another state";
  }

  struct Outcomes {
    std::size_t old = 0;    // the trace is there
    std::size_t clean = 0;  // it is compacted
    std::size_t wrong = 0;
    std::string first = {};
  };
  // Compacts with a fault at every operation.
  Outcomes sweep_compaction(FaultKind kind, bool lasting) {
    Outcomes outcomes;
    const DiskContent start = with_trace();
    disk_.restore(start);
    disk_.arm({kind, kNoFault});
    EXPECT_TRUE(compact_workspace(path(), small_options()).ok());
    const std::size_t count = disk_.operations(kind);
    EXPECT_GT(count, 20u);
    for (std::size_t at = 0; at < count; at += kCareStride) {
      disk_.restore(start);
      disk_.arm({kind, at, lasting});
      const bool done = compact_workspace(path(), small_options()).ok();
      if (kind == FaultKind::kPowerLoss) {
        constexpr PowerLoss kLosses[] = {PowerLoss::kSubset, PowerLoss::kPrefix, PowerLoss::kNothing};
        disk_.reboot(kLosses[random_.below(3)]);
      } else {
        disk_.disarm();
      }
      std::string wrong = fault_of(path());
      const std::size_t traces = traces_in(disk_.content());
      if (wrong.empty() && done && traces > 0) wrong = "done, and something is left of what was deleted";
      ++(traces > 0 ? outcomes.old : outcomes.clean);
      if (wrong.empty()) continue;
      if (outcomes.wrong++ == 0) outcomes.first = fmt::format("{} at operation {}: {}", name(kind), at, wrong);
    }
    return outcomes;
  }

  TemporaryFolder folder_;
  SimulatedDisk disk_;
  References references_;
  std::vector<DiskContent> images_;
  Sequence random_{47};
};

TEST_F(CareFault, ACompactionIsAllOrNothing) {
  for (const FaultKind kind : {FaultKind::kPowerLoss, FaultKind::kError, FaultKind::kDiskFull, FaultKind::kReadError}) {
    SCOPED_TRACE(name(kind));
    const Outcomes outcomes = sweep_compaction(kind, kind == FaultKind::kDiskFull);
    EXPECT_EQ(outcomes.wrong, 0u) << outcomes.first;
    EXPECT_GT(outcomes.old, 0u);
    if (kind == FaultKind::kPowerLoss && !kSanitized) {
      EXPECT_GT(outcomes.clean, 0u);
    }
  }
}

// The planted fault: a disk that says too early that it has written.
TEST_F(CareFault, ACompactionOnALyingDiskIsCaught) {
  if (kSanitized) GTEST_SKIP() << "too few power losses under sanitizers";
  disk_.lie_about_syncs();
  EXPECT_GT(sweep_compaction(FaultKind::kPowerLoss, true).wrong, 0u);
}

// A copy is there as a whole or not at all, and the workspace is as it was.
TEST_F(CareFault, ACopyIsAllOrNothing) {
  disk_.restore(images_.back());
  ASSERT_TRUE(Workspace::open(path(), reading()).value().backup(copy()).ok());
  const DiskContent with_copy = disk_.content();
  for (const bool replaces : {false, true}) {
    for (const FaultKind kind : {FaultKind::kError, FaultKind::kDiskFull, FaultKind::kReadError}) {
      const DiskContent& start = replaces ? with_copy : images_.back();
      const auto back_up = [&]() -> Status {
        UNSCATTER_TRY(workspace, Workspace::open(path(), reading()));
        UNSCATTER_CHECK_OK(workspace.backup(copy(), {.replace = replaces}));
        return ok_status();
      };
      disk_.restore(start);
      disk_.arm({kind, kNoFault});
      ASSERT_TRUE(back_up().ok());
      const std::size_t count = disk_.operations(kind);
      std::size_t failed = 0;
      for (std::size_t at = 0; at < count; at += kCareStride * 2) {
        SCOPED_TRACE(fmt::format("{} at operation {} of {}", name(kind), at, count));
        disk_.restore(start);
        disk_.arm({kind, at});
        const Status copied = back_up();
        disk_.disarm();
        if (!copied.ok()) ++failed;
        ASSERT_EQ(fault_of(path()), "");
        const bool there = std::filesystem::exists(copy());
        ASSERT_TRUE(there == (copied.ok() || replaces)) << (copied.ok() ? "" : copied.error().message);
        if (there) {
          ASSERT_EQ(fault_of(copy()), "");
        }
        // Nothing is left of a copy that was given up.
        ASSERT_FALSE(std::filesystem::exists(copy().string() + ".unfinished"));
      }
      EXPECT_GT(failed, 0u);
    }
  }
}

// "Nothing was changed" is true, and the same object goes on when there is room again.
TEST_F(CareFault, AFullDiskChangesNothingAndStopsNothing) {
  std::size_t said = 0;
  for (const std::size_t step : {0u, 4u, 6u}) {
    disk_.restore(images_[step]);
    disk_.arm({FaultKind::kDiskFull, kNoFault});
    {
      Workspace undisturbed = Workspace::open(path(), small_options()).value();
      ASSERT_TRUE(carry_out(undisturbed, small_steps()[step]).ok());
    }
    const std::size_t count = disk_.operations(FaultKind::kDiskFull);
    for (std::size_t at = 0; at < count; at += kSanitized ? 5 : 1) {
      SCOPED_TRACE(fmt::format("step {}, no room at write {} of {}", step, at, count));
      disk_.restore(images_[step]);
      disk_.arm({FaultKind::kDiskFull, at, true});
      auto workspace = Workspace::open(path(), small_options());
      if (!workspace.ok()) continue;
      const Status status = carry_out(*workspace, small_steps()[step]);
      if (status.ok()) continue;
      EXPECT_NE(status.error().message.find("no room"), std::string::npos) << status.error().message;
      if (status.error().message.find("nothing was changed") == std::string::npos) continue;
      ++said;
      EXPECT_EQ(workspace->info().entries, references_[step].entries);
      disk_.disarm();
      const Status again = carry_out(*workspace, small_steps()[step]);
      ASSERT_TRUE(again.ok()) << again.error().message;
      ASSERT_EQ(without_state({state_of(*workspace).value()}), without_state({references_[step + 1]}));
    }
  }
  EXPECT_GT(said, 0u);
}

// A file system without locks: a refusal that says so, and nothing changes.
TEST_F(CareFault, LocksThatFailAreRefused) {
  disk_.restore(images_.back());
  const DiskContent before = disk_.content();
  for (const int code : {SQLITE_IOERR_LOCK, SQLITE_IOERR_RDLOCK, SQLITE_PROTOCOL}) {
    SCOPED_TRACE(code);
    disk_.fail_locks(code);
    const Result<Workspace> opened = Workspace::open(path(), small_options());
    const Result<Verification> checked = check_workspace(path(), {});
    const Result<Compaction> compacted = compact_workspace(path(), {});
    const Result<FormatUpgrade> upgraded = upgrade_workspace(path(), {});
    ASSERT_TRUE(!opened.ok() && !checked.ok() && !compacted.ok() && !upgraded.ok());
    for (const Error& error : {opened.error(), checked.error(), compacted.error(), upgraded.error()}) {
      EXPECT_EQ(error.code, ErrorCode::kIo);
      EXPECT_NE(error.message.find("cannot be locked"), std::string::npos) << error.message;
      EXPECT_NE(error.message.find("local disk"), std::string::npos) << error.message;
    }
    EXPECT_EQ(disk_.content(), before);
    EXPECT_FALSE(Workspace::create(folder_.path() / "new", small_setup(), small_options()).ok());
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "new"));
  }
  // One that says "try again" looks like a file in use.
  disk_.fail_locks(SQLITE_BUSY);
  WorkspaceOptions impatient = small_options();
  impatient.wait = std::chrono::milliseconds(0);
  EXPECT_EQ(Workspace::open(path(), impatient).error().code, ErrorCode::kUnavailable);
  disk_.fail_locks(SQLITE_OK);
  EXPECT_EQ(fault_of(path()), "");
}

}  // namespace
}  // namespace unscatter::testing
