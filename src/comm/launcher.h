// Did a launcher of MPI jobs start this process?  The environment says so; nothing is loaded to find out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace unscatter {

// What the environment says about the job.
struct Launch {
  std::string_view launcher;         // "Open MPI", for messages
  std::optional<std::size_t> ranks;  // how many it started; empty: it does not say
  std::optional<std::size_t> rank;   // which of them this is
};

// Looks for the variables of Open MPI's mpirun, of MPICH's (Hydra) and of Slurm's srun, then for PMIx, which others
// use.  Nothing where there are none: an ordinary process.  `variable` is getenv() but for tests.
[[nodiscard]] std::optional<Launch> launched(const std::function<const char*(const char*)>& variable);
[[nodiscard]] std::optional<Launch> launched();

}  // namespace unscatter
