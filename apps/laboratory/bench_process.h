// The program that holds the benchmark workloads.  It lies beside this program and is not part of it, because it
// replaces the global functions of memory to count allocations.
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

// Runs `program arguments...` and calls `take` with each line of its stdout, parsed, as soon as it comes.  Errors:
// kUnsupported if it failed, with what it said on stderr; kMalformedInput if a line is not JSON; kIo if it cannot be
// started.
[[nodiscard]] Status run_bench_process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                       const std::function<void(Json)>& take);

}  // namespace unscatter::cli
