// A queue on a disk that fails: at every operation of every step, in every way.  A removal and the end of its requests
// are both there or both not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "crash/queue_script.h"
#include "crash/simulated_disk.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

constexpr std::size_t kFaultStride = kSanitized ? 17 : 1;
constexpr std::size_t kNoQueueFault = SIZE_MAX;

class QueueFault : public ::testing::Test {
 protected:
  QueueFault() : disk_(folder_.path(), 29) {
    references_ = undisturbed_queue(path(), false, [&] { images_.push_back(disk_.content()); });
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "w.unscatter"; }

  // True: the step was acknowledged.
  bool attempt(std::size_t step, const Fault& fault) {
    disk_.restore(images_[step]);
    disk_.arm(fault);
    return carry_out_step(path(), step, false).ok();
  }

  std::string what_is_wrong(std::size_t acknowledged) {
    if (random_.chance(0.2)) {
      if (std::string wrong = verification_fault(path()); !wrong.empty()) return wrong;
    }
    const QueueInspection inspection = inspect_queue(path(), false, references_, acknowledged);
    if (!inspection.fault.empty()) return inspection.fault;
    for (const auto& [file, bytes] : disk_.content()) {
      for (const std::string& name : names_gone_after(inspection.steps)) {
        if (bytes.find(name) != std::string::npos) return fmt::format("'{}' is in {}", name, file);
      }
    }
    return random_.chance(0.05) ? queue_continuation_fault(path(), false, references_, inspection.steps) : "";
  }

  // Puts `fault` at every operation of every step.  Returns how often something was wrong.
  std::size_t sweep(Fault fault, std::size_t stride = kFaultStride) {
    std::size_t found = 0;
    for (std::size_t step = 0; step < queue_steps().size(); ++step) {
      EXPECT_TRUE(attempt(step, {fault.kind, kNoQueueFault}));
      const std::size_t count = disk_.operations(fault.kind);
      for (fault.at = random_.below(stride); fault.at < count; fault.at += stride) {
        const bool acknowledged = attempt(step, fault);
        constexpr PowerLoss kLosses[] = {PowerLoss::kSubset, PowerLoss::kPrefix, PowerLoss::kNothing};
        if (fault.kind == FaultKind::kPowerLoss || random_.chance(0.5)) {
          disk_.reboot(kLosses[random_.below(3)]);
        } else {
          disk_.disarm();
        }
        ++cases_;
        const std::string wrong = what_is_wrong(step + (acknowledged ? 1 : 0));
        if (!wrong.empty() && ++found == 1) {
          first_fault_ = fmt::format("{}, {} at operation {} of {}: {}", queue_steps()[step].name, name(fault.kind),
                                     fault.at, count, wrong);
        }
      }
    }
    std::cout << cases_ << " faults\n";
    return found;
  }

  TemporaryFolder folder_{memory_folder()};
  SimulatedDisk disk_;
  Sequence random_{47};
  std::vector<DiskContent> images_;
  std::vector<QueueState> references_;
  std::size_t cases_ = 0;
  std::string first_fault_;
};

TEST_F(QueueFault, SurvivesAPowerLossAtAnyOperation) {
  EXPECT_EQ(sweep({FaultKind::kPowerLoss}), 0u) << first_fault_;
  EXPECT_GT(cases_, kSanitized ? 5u : 100u);
}

TEST_F(QueueFault, SurvivesAnErrorAtAnyOperation) { EXPECT_EQ(sweep({FaultKind::kError}), 0u) << first_fault_; }

TEST_F(QueueFault, SurvivesLastingErrorsFromAnyOperationOn) {
  EXPECT_EQ(sweep({FaultKind::kError, 0, true}), 0u) << first_fault_;
}

TEST_F(QueueFault, SurvivesAFullDiskFromAnyWriteOn) {
  EXPECT_EQ(sweep({FaultKind::kDiskFull, 0, true}), 0u) << first_fault_;
}

TEST_F(QueueFault, SurvivesAReadErrorAtAnyOperation) {
  EXPECT_EQ(sweep({FaultKind::kReadError}, kSanitized ? 31 : 3), 0u) << first_fault_;
}

// The planted fault: without syncs the same sweep must find lost steps.
TEST_F(QueueFault, ADiskThatLiesAboutSyncsIsCaught) {
  disk_.lie_about_syncs();
  EXPECT_GT(sweep({FaultKind::kPowerLoss}, kSanitized ? 17 : 5), 0u);
}

// The process goes on after an error: the queue is as it was and works, or refuses to.
TEST_F(QueueFault, AfterAFullDiskTheSameQueueGoesOn) {
  std::size_t went_on = 0;
  std::size_t refused = 0;
  for (const std::size_t step : {std::size_t{1}, std::size_t{4}}) {
    EXPECT_TRUE(attempt(step, {FaultKind::kDiskFull, kNoQueueFault}));
    const std::size_t count = disk_.operations(FaultKind::kDiskFull);
    for (std::size_t at = 0; at < count; at += kFaultStride) {
      SCOPED_TRACE(fmt::format("{}, full at write {} of {}", queue_steps()[step].name, at, count));
      disk_.restore(images_[step]);
      disk_.arm({FaultKind::kDiskFull, at, true});
      std::size_t done = step;
      {
        auto workspace = Workspace::open(path(), queue_options(path(), false));
        if (!workspace.ok()) continue;
        auto queue = RequestQueue::open(*workspace);
        if (!queue.ok()) continue;
        const std::size_t open = queue->view()->open.size();
        const Status first = queue_steps()[step].carry_out(*workspace, *queue);
        if (first.ok()) continue;
        // The error says so if the step is in force, and only old pages could not be cleared.  Memory follows the disk.
        const bool in_force = first.error().message.find("recorded as") != std::string::npos;
        EXPECT_EQ(queue->view()->open.size() != open, in_force) << first.error().message;
        disk_.disarm();
        const Status again = queue_steps()[step].carry_out(*workspace, *queue);
        EXPECT_FALSE(in_force && again.ok()) << "a queue that may hold old pages went on";
        if (again.ok()) ++went_on;
        if (in_force) ++refused;
        if (again.ok() || in_force) ++done;
      }
      const QueueInspection inspection = inspect_queue(path(), false, references_, done);
      EXPECT_EQ(inspection.fault, "");
      EXPECT_EQ(verification_fault(path()), "");
    }
  }
  EXPECT_GT(went_on, 0u);
  EXPECT_GT(refused, 0u);
}

// No byte of a name goes to the disk in the clear, not even while the request is open.
TEST_F(QueueFault, NoWriteHoldsANameThatIsInNoGraph) {
  disk_.restore(images_[0]);
  disk_.record_writes();
  for (std::size_t step = 0; step < queue_steps().size(); ++step) ASSERT_TRUE(carry_out_step(path(), step, false).ok());
  ASSERT_FALSE(disk_.writes().empty());
  bool policy_seen = false;
  for (const std::string& bytes : disk_.writes()) {
    EXPECT_EQ(bytes.find("nobody-of-this-name"), std::string::npos);
    EXPECT_EQ(bytes.find("somebody-who-thought-again"), std::string::npos);
    policy_seen = policy_seen || bytes.find("extension_days") != std::string::npos;
  }
  EXPECT_TRUE(policy_seen) << "the writes of the queue were not recorded";
}

}  // namespace
}  // namespace unscatter::testing
