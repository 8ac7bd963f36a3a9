#include "base/parallel.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

namespace unscatter {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnceAndWorkersDoNotOverlap) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    std::vector<std::atomic<int>> visits(1000);
    std::vector<std::atomic<int>> busy(threads);
    std::atomic<bool> overlap{false};
    parallel_for(visits.size(), threads, 3, [&](std::size_t i, std::size_t worker) {
      if (busy.at(worker).fetch_add(1) != 0) overlap = true;
      visits[i].fetch_add(1);
      busy[worker].fetch_sub(1);
    });
    for (const std::atomic<int>& count : visits) EXPECT_EQ(count.load(), 1);
    EXPECT_FALSE(overlap);
  }
}

// While an inner loop waits for its last chunk, its worker must not begin another chunk of the outer loop.
TEST(ParallelFor, NestedLoopsKeepTheirWorkers) {
  constexpr std::size_t kThreads = 4;
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, kThreads);  // whatever the machine has
  std::vector<std::atomic<int>> busy(kThreads);
  std::atomic<bool> overlap{false};
  std::atomic<int> visits{0};
  parallel_for(1024, kThreads, 1, [&](std::size_t, std::size_t worker) {
    if (busy.at(worker).fetch_add(1) != 0) overlap = true;
    parallel_for(8, kThreads, 1, [&](std::size_t, std::size_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      ++visits;
    });
    busy[worker].fetch_sub(1);
  });
  EXPECT_EQ(visits.load(), 1024 * 8);
  EXPECT_FALSE(overlap);
}

TEST(ParallelFor, ExceptionsReachTheCaller) {
  const auto body = [](std::size_t i, std::size_t) {
    if (i == 40) throw std::runtime_error("planted");
  };
  EXPECT_THROW(parallel_for(100, 2, 1, body), std::runtime_error);
}

TEST(ParallelFor, NothingToDo) {
  parallel_for(0, 2, 1, [](std::size_t, std::size_t) { FAIL(); });
}

// Counted without TBB, which would look for other libraries first.
TEST(HardwareThreads, AreThoseThatTbbCounts) {
  EXPECT_GE(hardware_threads(), 1u);
  EXPECT_EQ(hardware_threads(), static_cast<std::size_t>(tbb::info::default_concurrency()));
}

// The child has no workers: a loop that waited for them would never end.
TEST(ParallelFor, AForkedProcessDoesAllWorkItself) {
  std::atomic<int> before{0};
  parallel_for(100, 4, 1, [&](std::size_t, std::size_t) { ++before; });
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    int visits = 0;
    std::size_t largest_worker = 0;
    parallel_for(1000, 4, 1, [&](std::size_t, std::size_t worker) {
      ++visits;
      largest_worker = std::max(largest_worker, worker);
    });
    _exit(visits == 1000 && largest_worker == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(before, 100);
}

TEST(WorthwhileThreads, LittleWorkIsDoneByOneThread) {
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(worthwhile_threads(1000, 8), 1u);
  EXPECT_EQ(worthwhile_threads(std::size_t{1} << 40, 8), 8u);
  EXPECT_EQ(worthwhile_threads(std::size_t{1} << 40, 1), 1u);
}

// Whatever ran before in this process.
TEST(WorthwhileThreads, SomeWorkGetsThreadsSoonerOrLater) {
  std::size_t alone = 0;
  while (worthwhile_threads(std::size_t{1} << 20, 8) == 1) ASSERT_LT(++alone, 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(worthwhile_threads(std::size_t{1} << 20, 8), 8u);
}

// A death test of this style runs in a process that was started anew.
TEST(WorthwhileThreads, AProcessStartsNoThreadsForItsFirstWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto first_work = [] {
    const bool alone = worthwhile_threads(std::size_t{1} << 20, 8) == 1;
    std::_Exit(alone && worthwhile_threads(std::size_t{1} << 30, 8) == 8 ? 0 : 1);
  };
  EXPECT_EXIT(first_work(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace unscatter
