// The program that holds the benchmark workloads: beside this one, and not part of it, because it counts allocations by
// replacing the global functions.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "output.h"
#include "unscatter/base/result.h"

namespace unscatter::cli {

// unscatter-bench in the folder of the running program.  Errors: kNotFound, saying how to build it.
[[nodiscard]] Result<std::filesystem::path> bench_program();

// Runs `program arguments...` and calls `take` with each line of its stdout, parsed, as it comes.  Errors: kUnsupported
// with what the program said on stderr if it failed; kMalformedInput if a line is not JSON; kIo if it cannot be
// started.
[[nodiscard]] Status run_bench_process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                       const std::function<void(Json)>& take);

}  // namespace unscatter::cli
