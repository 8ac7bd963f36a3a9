// A queue, killed before every system call that changes a file.  What was acknowledged is there, a removal and the end
// of its requests are both there or both not, and the next process goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>

#include "crash/kill_points.h"
#include "crash/queue_script.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kQueueStride = kSanitized ? 13 : 1;

class KilledQueue : public ::testing::Test {
 protected:
  using Files = std::map<std::string, std::string>;  // by name
  using Work = std::function<Status(std::size_t step, const Acknowledge&)>;

  KilledQueue() {
    references_ = undisturbed_queue(path(), true, [&] { images_.push_back(files()); });
  }

  [[nodiscard]] fs::path path() const { return folder_.path() / "w.unscatter"; }

  [[nodiscard]] Files files() const {
    Files files;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      files.emplace(entry.path().filename().string(), read_whole_file(entry.path()));
    }
    return files;
  }
  void restore(const Files& files) const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    for (const auto& [name, bytes] : files) static_cast<void>(folder_.write(name, bytes));
  }

  std::string what_is_wrong(std::size_t acknowledged) {
    if (random_.chance(0.3)) {
      if (std::string wrong = verification_fault(path()); !wrong.empty()) return wrong;
    }
    const QueueInspection inspection = inspect_queue(path(), true, references_, acknowledged);
    if (!inspection.fault.empty()) return inspection.fault;
    for (const auto& [file, bytes] : files()) {
      for (const std::string& name : names_gone_after(inspection.steps)) {
        if (bytes.find(name) != std::string::npos) return fmt::format("'{}' is in {}", name, file);
      }
    }
    return random_.chance(0.1) ? queue_continuation_fault(path(), true, references_, inspection.steps) : "";
  }

  // Kills every step at every point.  Returns how often; the first thing that is wrong ends it.
  std::size_t sweep(const Work& work, std::size_t stride) {
    first_fault_.clear();
    std::size_t points = 0;
    for (std::size_t step = 0; step < queue_steps().size(); ++step) {
      for (KillPoint point{random_.below(stride)};; point.at += stride) {
        restore(images_[step]);
        point.half = random_.chance(0.3);
        const KilledRun run =
            run_and_kill(point, [&](const Acknowledge& acknowledge) { return work(step, acknowledge); });
        if (run.failed) first_fault_ = "it failed without being killed";
        if (!run.killed) break;
        ++points;
        first_fault_ = what_is_wrong(step + run.acknowledged);
        if (first_fault_.empty()) continue;
        first_fault_ = fmt::format("{}, killed at call {}: {}", queue_steps()[step].name, point.at, first_fault_);
        return points;
      }
    }
    return points;
  }

  TemporaryFolder folder_{memory_folder()};
  Sequence random_{43};
  std::vector<Files> images_;  // after 0, 1, ... steps
  std::vector<QueueState> references_;
  std::string first_fault_;
};

TEST_F(KilledQueue, LosesNothingAndRepeatsNothing) {
  std::size_t points = 0;
  const auto work = [&](std::size_t step, const Acknowledge& acknowledge) -> Status {
    UNSCATTER_CHECK_OK(carry_out_step(path(), step, true));
    acknowledge();
    return ok_status();
  };
  // What is torn, verified and gone on with is drawn, so a second round looks at other cases.
  for (int round = 0; round < (kSanitized ? 1 : 2); ++round) {
    points += sweep(work, kQueueStride);
    ASSERT_EQ(first_fault_, "");
  }
  std::cout << points << " kills\n";
  EXPECT_GE(points, kSanitized ? 10u : 300u);
}

// The planted faults.  An acknowledgement that comes too early.
TEST_F(KilledQueue, AnEarlyAcknowledgementIsCaught) {
  static_cast<void>(sweep(
      [&](std::size_t step, const Acknowledge& acknowledge) {
        acknowledge();
        return carry_out_step(path(), step, true);
      },
      1));
  EXPECT_NE(first_fault_.find("were acknowledged"), std::string::npos) << first_fault_;
}

// A removal in one transaction and the end of its requests in the next one.
TEST_F(KilledQueue, TwoTransactionsInsteadOfOneAreCaught) {
  const auto work = [&](std::size_t step, const Acknowledge& acknowledge) -> Status {
    if (queue_steps()[step].name == "process") {
      UNSCATTER_TRY(workspace, Workspace::open(path(), queue_options(path(), true)));
      const std::vector<RemovalRequest> same = {ForgetSubject{"user-23"}, ForgetNode{0u, 1u}};
      UNSCATTER_CHECK_OK(workspace.forget(same));
    }
    UNSCATTER_CHECK_OK(carry_out_step(path(), step, true));
    acknowledge();
    return ok_status();
  };
  static_cast<void>(sweep(work, 1));
  EXPECT_NE(first_fault_.find("process, killed at call"), std::string::npos) << first_fault_;
}

}  // namespace
}  // namespace unscatter::testing
