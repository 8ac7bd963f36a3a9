// The program, from its arguments to its exit code.
#pragma once

namespace unscatter::cli {

// What main() does.  Returns an ExitCode (exit_code.h), also for what was thrown.
[[nodiscard]] int run_program(int argc, const char* const* argv);

}  // namespace unscatter::cli
