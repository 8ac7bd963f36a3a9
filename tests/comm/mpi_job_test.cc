// Real ranks, started by mpirun.  Where there is no mpirun, these tests are counted as skipped.
#include "comm/mpi_job.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "comm/threads.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

struct MpiRun {
  int exit_code = -1;
  std::string output;  // standard output and standard error
  double seconds = 0;
};

MpiRun run_shell(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  MpiRun run;
  // A job that does not end is a failure and not a test that never ends.
  FILE* pipe = popen(("timeout -k 2 90 " + command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    run.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

// Where a rank is lost, or where one is slower than this and must not be lost.  In seconds.
constexpr const char* kShortTimeout = "UNSCATTER_RANK_TIMEOUT=3";

class MpiJob : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(UNSCATTER_MPIRUN).empty()) GTEST_SKIP() << "there is no mpirun";
    if (std::string(UNSCATTER_MPI_PLUGIN).empty()) GTEST_SKIP() << "this build has no MPI";
    ASSERT_TRUE(std::filesystem::exists(UNSCATTER_MPI_PLUGIN));
  }
  static MpiRun ranks(std::size_t count, const std::string& scenario, const std::string& environment = "",
                      const std::string& plugin = UNSCATTER_MPI_PLUGIN) {
    // Long, so that a machine that stands still for a while is not taken for a lost rank.
    return run_shell("env UNSCATTER_RANK_TIMEOUT=60 " + environment +
                     " " UNSCATTER_MPIRUN " --oversubscribe --allow-run-as-root --bind-to none -n " +
                     std::to_string(count) + " " UNSCATTER_MPI_RANK " '" + plugin + "' " + scenario);
  }
};

// Without what the topology library of MPI says on a system that has no /sys.
std::string without_topology_lines(std::string text) {
  for (auto at = text.find("[hwloc/"); at != std::string::npos; at = text.find("[hwloc/")) {
    const auto end = text.find('\n', at);
    text.erase(at, end == std::string::npos ? end : end - at + 1);
  }
  return text;
}

TEST_F(MpiJob, MessagesArriveAsTheyDoBetweenThreads) {
  for (const std::size_t count : {1u, 2u, 3u, 4u, 7u}) {
    for (const std::string scenario : {"exchange", "pieces"}) {
      SCOPED_TRACE(scenario + " of " + std::to_string(count));
      const MpiRun run = ranks(count, scenario);
      EXPECT_EQ(run.exit_code, 0) << run.output;
      // By the formulas of communicator_test.cc: broadcasts, the gather, one barrier and the numbers.  A message that
      // travels in pieces counts once.
      const std::size_t others = count - 1;
      const std::size_t broadcast_bytes = 0 + 1 + 999 + 1000 + 1001 + 100007;
      const std::size_t messages = count * 6 * others + 2 * others + 2 * others + 100 * others;
      const std::size_t bytes =
          count * others * broadcast_bytes + 8 * others + 5000 * (count * others / 2) + 2 * others + 800 * others;
      EXPECT_EQ(without_topology_lines(run.output), "ranks " + std::to_string(count) + " messages " +
                                                        std::to_string(messages) + " bytes " + std::to_string(bytes) +
                                                        "\n");
    }
  }
}

TEST_F(MpiJob, ARankThatIsLostEndsTheJobWithItsName) {
  struct Loss {
    const char* scenario;
    std::size_t rank;
    const char* sentence;
  };
  // A rank that dies is named by the launcher itself.
  for (const Loss& loss :
       {Loss{"abort", 2, "unscatter: rank 2 on "}, Loss{"abort", 0, "the disk is full"},
        Loss{"kill", 1, "rank 1 with PID"}, Loss{"kill", 0, "rank 0 with PID"},
        Loss{"stop", 2, "unscatter: rank 2 on "}, Loss{"stop", 2, "has not been heard of for "},
        Loss{"stop", 0, "unscatter: rank 0 on "}, Loss{"disk", 1, "unscatter: rank 1 on "},
        Loss{"disk", 1, "has been waiting for its disk for "}, Loss{"disk", 0, "unscatter: rank 0 on "}}) {
    SCOPED_TRACE(std::string(loss.scenario) + " of rank " + std::to_string(loss.rank));
    const MpiRun run = ranks(3, std::string(loss.scenario) + " " + std::to_string(loss.rank), kShortTimeout);
    EXPECT_NE(run.exit_code, 0);
    EXPECT_NE(run.output.find(loss.sentence), std::string::npos) << run.output;
    EXPECT_LT(run.seconds, 50) << "the job ended by a later timeout";
  }
}

// Nobody is lost who only takes long: signs of life come from a thread of their own.
TEST_F(MpiJob, WaitingRanksHardlyUseTheProcessorAndAreNotTakenForLost) {
  const MpiRun run = ranks(3, "idle", kShortTimeout);
  EXPECT_EQ(run.exit_code, 0) << run.output;
  for (const std::string rank : {"1", "2"}) {
    const std::string words = "idle rank " + rank + " used ";
    const std::size_t at = run.output.find(words);
    ASSERT_NE(at, std::string::npos) << run.output;
    EXPECT_LT(std::strtod(run.output.c_str() + at + words.size(), nullptr), 0.4) << run.output;  // of 4 s
  }
}

TEST_F(MpiJob, AMessageOfAnotherSizeEndsTheMpiJob) {
  const MpiRun run = ranks(2, "size");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.output.find("has 4 bytes instead of 5"), std::string::npos) << run.output;
}

// Eight processes that each believe to be alone would all write the same files.
TEST_F(MpiJob, AWorldThatIsSmallerThanTheLaunchIsRefused) {
  const MpiRun alone = run_shell("env OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_RANK=0 " UNSCATTER_MPI_RANK
                                 " " UNSCATTER_MPI_PLUGIN " exchange");
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_NE(alone.output.find("refused: Open MPI started 8 ranks, but MPI ("), std::string::npos) << alone.output;
  EXPECT_NE(alone.output.find(") sees 1: "), std::string::npos) << alone.output;
  // What a launcher of another library leaves in the environment.
  const MpiRun mixed = run_shell("env PMI_SIZE=4 PMI_RANK=0 " UNSCATTER_MPI_RANK " " UNSCATTER_MPI_PLUGIN " exchange");
  EXPECT_EQ(mixed.exit_code, 1);
  EXPECT_NE(mixed.output.find("refused: MPICH started 4 ranks, but MPI ("), std::string::npos) << mixed.output;
}

TEST_F(MpiJob, WithoutThePluginTheJobIsRefused) {
  const testing::TemporaryFolder folder;
  const std::string nothing = (folder.path() / "unscatter-mpi.so").string();
  const MpiRun missing = ranks(1, "exchange", "", nothing);
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.output.find("refused: Open MPI started 1 ranks, but this program has no MPI"), std::string::npos)
      << missing.output;
  const MpiRun strange = ranks(1, "exchange", "", "/lib/x86_64-linux-gnu/libm.so.6");
  EXPECT_NE(strange.output.find("is not the MPI plug-in of this program"), std::string::npos) << strange.output;
}

TEST(RankTimeout, IsReadFromTheEnvironment) {
  unsetenv("UNSCATTER_RANK_TIMEOUT");
  EXPECT_EQ(rank_timeout_from_environment().value(), 60);
  setenv("UNSCATTER_RANK_TIMEOUT", "", 1);
  EXPECT_EQ(rank_timeout_from_environment().value(), 60);
  setenv("UNSCATTER_RANK_TIMEOUT", "2.5", 1);
  EXPECT_EQ(rank_timeout_from_environment().value(), 2.5);
  for (const char* wrong : {"x", "0", "-1", "nan", "1e9", "60s"}) {
    setenv("UNSCATTER_RANK_TIMEOUT", wrong, 1);
    EXPECT_FALSE(rank_timeout_from_environment().ok()) << wrong;
  }
  unsetenv("UNSCATTER_RANK_TIMEOUT");
}

}  // namespace
}  // namespace unscatter
