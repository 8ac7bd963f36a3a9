// The program, from its arguments to its exit code.
#pragma once

namespace unscatter::cli {

// The work of main().  Returns an ExitCode (exit_code.h), also if something was thrown.
[[nodiscard]] int run_program(int argc, const char* const* argv);

}  // namespace unscatter::cli
