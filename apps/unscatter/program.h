// The program, from its arguments to its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "context.h"

namespace unscatter::cli {

// Adds the commands that a program has beside those of every program.
using MoreCommands = std::function<void(CLI::App& program, Context& context)>;

// What main() does.  Returns an ExitCode (exit_code.h), also for what was thrown.
[[nodiscard]] int run_program(int argc, const char* const* argv, const MoreCommands& add_more);

}  // namespace unscatter::cli
