// The program, from its arguments to its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "context.h"

namespace unscatter::cli {

// Adds the commands that a program has beside those of every program.
using MoreCommands = std::function<void(CLI::App& program, Context& context)>;

// The work of main().  Returns an ExitCode (exit_code.h), also if something was thrown.  `crew`: as in Context.
[[nodiscard]] int run_program(int argc, const char* const* argv, const MoreCommands& add_more,
                              ShardCrew* crew = nullptr);

}  // namespace unscatter::cli
