// Ranks as threads of one process: for tests, with any number of ranks on any machine.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "comm/communicator.h"
#include "unscatter/base/result.h"

namespace unscatter {

// Runs work(communicator) once per rank, each rank on a thread of its own, and returns when all have ended.
//
// send() returns when the receiver has taken the bytes.  No other implementation waits that long, so a program that
// ends here does not depend on messages that are kept on their way.
//
// The job ends early, on all ranks, where a rank aborts or throws, where it waits for a rank that has ended, and where
// all ranks wait.  Then what the others call throws something that `work` must let through, and the error says which
// rank it was and why: kUnavailable.
//
// The value is what each rank has sent.
[[nodiscard]] Result<std::vector<Traffic>> run_ranks(std::size_t ranks, const std::function<void(Communicator&)>& work);

}  // namespace unscatter
