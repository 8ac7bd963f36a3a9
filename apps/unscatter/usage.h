// What to say when the command line is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace unscatter::cli {

// One sentence on what is wrong, then where to look.  It names an unknown command, and the nearest known one if there
// is one.
[[nodiscard]] std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

// The sentence about one option, without a hint where to look.
[[nodiscard]] std::string option_words(const CLI::App& program, const CLI::ParseError& error);

// A number that can be read but lies outside of its range is a refused request and not wrong usage (docs/cli.md).  Then
// this is the sentence about it.
[[nodiscard]] std::optional<std::string> out_of_range(const CLI::ParseError& error);

// A check for an option that takes a number in [low, high].  `words` is how a person reads the range.
[[nodiscard]] std::function<std::string(const std::string&)> number_between(double low, double high,
                                                                            std::string_view words);

// Options of `command` and of the commands below that take numbers take nothing else: no minus sign for a count, no
// "nan", no other base.  For all of them at once, after they were added.
void check_numbers(CLI::App& command);

}  // namespace unscatter::cli
