// What to say when the command line is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace unscatter::cli {

// One sentence on what is wrong, then where to look.  It names an unknown command, and the nearest known one if there
// is one.
[[nodiscard]] std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace unscatter::cli
