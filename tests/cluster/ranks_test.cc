#include "cluster/ranks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "comm/threads.h"

namespace unscatter::cluster {
namespace {

// The tests may run under a launcher themselves.
void forget_launchers() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                           "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "PMIX_RANK"}) {
    unsetenv(name);
  }
}

TEST(Ranks, AnOrdinaryProcessLoadsNothing) {
  forget_launchers();
  EXPECT_FALSE(is_one_of_many());
  EXPECT_TRUE(speaks_for_the_job());
  const auto job = join_ranks();
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(*job, nullptr);
}

TEST(Ranks, AJobOfOneRankIsAnOrdinaryProcess) {
  forget_launchers();
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_FALSE(is_one_of_many());
  EXPECT_EQ(join_ranks().value(), nullptr);
  forget_launchers();
}

// This program has no plug-in beside it.
TEST(Ranks, AJobThatCannotComeAboutIsRefused) {
  forget_launchers();
  setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  EXPECT_TRUE(is_one_of_many());
  EXPECT_FALSE(speaks_for_the_job());
  const auto job = join_ranks();
  ASSERT_FALSE(job.ok());
  EXPECT_NE(job.error().message.find("Open MPI started 8 ranks, but this program has no MPI"), std::string::npos)
      << job.error().message;
  setenv("UNSCATTER_RANK_TIMEOUT", "soon", 1);
  EXPECT_NE(join_ranks().error().message.find("UNSCATTER_RANK_TIMEOUT"), std::string::npos);
  unsetenv("UNSCATTER_RANK_TIMEOUT");
  forget_launchers();
}

TEST(Ranks, AllRunTheSameVersion) {
  EXPECT_TRUE(run_ranks(3, [](Communicator& job) { agree_on_version(job, "unscatter 2"); }).ok());
  const auto mixed =
      run_ranks(3, [](Communicator& job) { agree_on_version(job, job.rank() == 2 ? "unscatter 1" : "unscatter 2"); });
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().message, "rank 2: this is unscatter 1, but the first rank runs unscatter 2");
}

}  // namespace
}  // namespace unscatter::cluster
