// The ranks that this process belongs to, if a launcher of MPI started it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "unscatter/base/result.h"

namespace unscatter::cluster {

// Did a launcher start several ranks, of which this is one?  Only the environment is looked at.
[[nodiscard]] bool is_one_of_many();
// Is it the one that speaks where the job does not come about?
[[nodiscard]] bool speaks_for_the_job();

// Joins the job.  Null: this is an ordinary process, and nothing was loaded.  The plug-in lies in the folder of the
// program, as in a build, or where it is installed.  All ranks must run the same version: another one ends the job.
// Errors: those of join_mpi_job() and of rank_timeout_from_environment().
[[nodiscard]] Result<std::unique_ptr<Communicator>> join_ranks();

// Ends the job unless all ranks have the text of the first one.  Part of join_ranks(); here for tests.
void agree_on_version(Communicator& job, const std::string& own);

}  // namespace unscatter::cluster
