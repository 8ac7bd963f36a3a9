// A process that is killed at any moment loses nothing that it said was done.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include "crash/driver_process.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

constexpr std::size_t kKills = kSanitized ? 24 : 240;

using Clock = std::chrono::steady_clock;

class KilledProcess : public ::testing::Test {
 protected:
  KilledProcess() {
    references_ = without_state(undisturbed_run(path(), [&] {
      if (fresh_.empty()) fresh_ = read_whole_file(path());
    }));
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "w.unscatter"; }

  void start_over() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) std::filesystem::remove(entry.path());
    folder_.write("w.unscatter", fresh_);
    acknowledged_ = 0;
  }

  // Of one step, from the moment that the workspace is open.
  Clock::duration usual_time() {
    start_over();
    DriverProcess driver({"forget", path()});
    EXPECT_EQ(driver.line(), "0");
    const auto begin = Clock::now();
    EXPECT_EQ(driver.wait(), 0);
    return (Clock::now() - begin) / small_steps().size();
  }

  // Reads on to the end, or one line.  A process may find one step more than its predecessor had acknowledged, no
  // other.
  void listen(DriverProcess& driver, bool to_the_end) {
    while (const auto line = driver.line()) {
      const std::size_t steps = std::stoul(*line);
      EXPECT_TRUE(steps == acknowledged_ || steps == acknowledged_ + 1) << steps << " after " << acknowledged_;
      acknowledged_ = steps;
      if (!to_the_end) break;
    }
  }

  TemporaryFolder folder_;
  std::string fresh_;
  References references_;
  std::size_t acknowledged_ = 0;
};

TEST_F(KilledProcess, LosesNothingThatWasAcknowledged) {
  const auto step = usual_time();
  start_over();
  Sequence random(29);
  std::size_t in_the_middle = 0;  // of writing
  for (std::size_t kill = 0; kill < kKills; ++kill) {
    SCOPED_TRACE(kill);
    if (acknowledged_ == small_steps().size()) start_over();
    DriverProcess driver({"forget", path()});
    // Sometimes it is killed before it opened the workspace, or while it puts the log of its predecessor in order.
    if (random.chance(0.9)) listen(driver, false);
    std::this_thread::sleep_for(3 * step * random.unit());
    driver.kill();
    listen(driver, true);
    std::error_code none;
    const auto log = std::filesystem::file_size(path().string() + "-wal", none);
    if (!none && log > 0) ++in_the_middle;
    // Otherwise the next process meets the file as this one left it.
    if (random.chance(0.5)) {
      const Inspection inspection = inspect(path(), references_, acknowledged_);
      ASSERT_EQ(inspection.fault, "");
      ASSERT_EQ(verification_fault(path()), "");
      // Whenever the process ended, between the commit and the record too, its own file is not called an old one.
      const Workspace opened = Workspace::open(path(), recorded_options(path())).value();
      ASSERT_FALSE(opened.info().outdated.has_value()) << opened.info().outdated->message;
      acknowledged_ = inspection.steps;
    }
  }
  EXPECT_GT(in_the_middle, 0) << "all kills came between two steps";
}

// What was acknowledged is on record: an older copy is refused, however the process ended.
TEST_F(KilledProcess, NoOlderCopyPassesAfterAnAcknowledgement) {
  Sequence random(31);
  std::size_t refused = 0;
  for (std::size_t kill = 0; kill < 20; ++kill) {
    start_over();
    DriverProcess driver({"forget", path()});
    listen(driver, false);
    while (acknowledged_ < 1 + random.below(4)) {
      const std::size_t before = acknowledged_;
      listen(driver, false);
      if (acknowledged_ == before) break;
    }
    driver.kill();
    listen(driver, true);
    ASSERT_GT(acknowledged_, 0u);
    for (const char* suffix : {"", "-wal"}) std::filesystem::remove(path().string() + suffix);
    folder_.write("w.unscatter", fresh_);
    Workspace opened = Workspace::open(path(), recorded_options(path())).value();
    if (opened.info().outdated) ++refused;
    EXPECT_EQ(carry_out(opened, small_steps()[0]).error().code, ErrorCode::kOutdated);
  }
  EXPECT_EQ(refused, 20u);
}

// The planted fault: a program that acknowledges first and commits afterwards.
TEST_F(KilledProcess, AnEarlyAcknowledgementIsCaught) {
  std::size_t caught = 0;
  for (std::size_t kill = 0; kill < 10; ++kill) {
    start_over();
    DriverProcess driver({"forget", path(), "--promise"});
    listen(driver, false);
    listen(driver, false);
    driver.kill();
    listen(driver, true);
    if (inspect(path(), references_, acknowledged_).fault.find("were acknowledged") != std::string::npos) ++caught;
  }
  EXPECT_GT(caught, 0);
}

WorkspaceOptions patient_for(std::chrono::milliseconds wait) {
  WorkspaceOptions options = small_options();
  options.wait = wait;
  return options;
}

TEST_F(KilledProcess, AWorkspaceInUseIsUnavailable) {
  start_over();
  DriverProcess holder({"hold", path()});
  ASSERT_EQ(holder.line(), "ready");
  const auto begin = Clock::now();
  const auto workspace = Workspace::open(path(), patient_for(std::chrono::milliseconds(0)));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(8));  // without waiting, on a machine that is busy
  ASSERT_FALSE(workspace.ok());
  EXPECT_EQ(workspace.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(workspace.error().message.find("w.unscatter"), std::string::npos) << workspace.error().message;
  EXPECT_NE(workspace.error().message.find("another process"), std::string::npos) << workspace.error().message;
  // The refusal did not disturb the holder.
  holder.close_input();
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(inspect(path(), references_, 0).fault, "");
}

TEST_F(KilledProcess, ASecondProcessWaitsForTheFirst) {
  start_over();
  DriverProcess holder({"hold", path()});
  ASSERT_EQ(holder.line(), "ready");
  const auto begin = Clock::now();
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    holder.close_input();
  });
  const auto workspace = Workspace::open(path(), patient_for(std::chrono::seconds(60)));
  release.join();
  EXPECT_TRUE(workspace.ok()) << workspace.error().message;
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(150));
}

TEST_F(KilledProcess, LeavesNoLockBehind) {
  start_over();
  DriverProcess holder({"hold", path()});
  ASSERT_EQ(holder.line(), "ready");
  holder.kill();
  const auto workspace = Workspace::open(path(), patient_for(std::chrono::milliseconds(0)));
  EXPECT_TRUE(workspace.ok()) << workspace.error().message;
}

}  // namespace
}  // namespace unscatter::testing
