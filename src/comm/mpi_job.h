// The job that a launcher of MPI started, as a communicator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "comm/communicator.h"
#include "comm/launcher.h"
#include "unscatter/base/result.h"

namespace unscatter {

struct MpiOptions {
  // A rank that is not heard of for so many seconds ends the job, with its name.
  double timeout_seconds = 60;
  // MPI counts the bytes of a message in an int.  Longer messages travel in pieces of this size.
  std::uint64_t piece_bytes = std::uint64_t{1} << 30;
};

// $UNSCATTER_RANK_TIMEOUT in seconds, else the default.  Errors: kInvalidArgument for what is not a number from 1 to
// 86400.
[[nodiscard]] Result<double> rank_timeout_from_environment();

// Loads the plug-in (mpi/plugin.h) and starts MPI; once per process.  The object ends MPI when it is destroyed, which
// all ranks must come to.  An exception that reaches main() must not get there: abort() first.
//
// Errors: kUnsupported if the plug-in is missing, is of another edition or does not start; kUnavailable if MPI sees
// another number of ranks than the launcher started.  Then every process would do the whole job, or wait for others
// that do not come.
[[nodiscard]] Result<std::unique_ptr<Communicator>> join_mpi_job(const Launch& launch,
                                                                 const std::filesystem::path& plugin,
                                                                 const MpiOptions& options = {});

}  // namespace unscatter
