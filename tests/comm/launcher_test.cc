#include "comm/launcher.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace unscatter {
namespace {

std::optional<Launch> launched_with(const std::map<std::string, std::string>& environment) {
  return launched([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, AnOrdinaryProcessWasNotLaunched) { EXPECT_FALSE(launched_with({{"PATH", "/bin"}}).has_value()); }

TEST(Launcher, EachLauncherIsKnownByItsVariables) {
  const auto open_mpi =
      launched_with({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}});
  ASSERT_TRUE(open_mpi.has_value());
  EXPECT_EQ(open_mpi->launcher, "Open MPI");
  EXPECT_EQ(open_mpi->ranks, 8u);
  EXPECT_EQ(open_mpi->rank, 3u);

  const auto mpich = launched_with({{"PMI_SIZE", "4"}, {"PMI_RANK", "0"}});
  ASSERT_TRUE(mpich.has_value());
  EXPECT_EQ(mpich->launcher, "MPICH");
  EXPECT_EQ(mpich->ranks, 4u);

  const auto slurm = launched_with({{"SLURM_STEP_NUM_TASKS", "16"}, {"SLURM_PROCID", "15"}, {"PMIX_RANK", "15"}});
  ASSERT_TRUE(slurm.has_value());
  EXPECT_EQ(slurm->launcher, "Slurm");
  EXPECT_EQ(slurm->ranks, 16u);
  EXPECT_EQ(slurm->rank, 15u);

  const auto pmix = launched_with({{"PMIX_RANK", "2"}});
  ASSERT_TRUE(pmix.has_value());
  EXPECT_EQ(pmix->launcher, "PMIx");
  EXPECT_FALSE(pmix->ranks.has_value());
  EXPECT_EQ(pmix->rank, 2u);
}

// In a batch script without srun there is one process, whatever the job was given.
TEST(Launcher, ABatchScriptOfSlurmIsNoRank) {
  EXPECT_FALSE(launched_with({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).has_value());
}

TEST(Launcher, WhatIsNotANumberDoesNotCount) {
  EXPECT_FALSE(launched_with({{"OMPI_COMM_WORLD_SIZE", "eight"}}).has_value());
  EXPECT_FALSE(launched_with({{"PMI_SIZE", ""}}).has_value());
}

}  // namespace
}  // namespace unscatter
