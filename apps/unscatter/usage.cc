#include "usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace unscatter::cli {
namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The last command that the user spelled correctly.
const CLI::App& deepest(const CLI::App& program) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + ' ' + command.get_name();
}

// The nearest subcommand of `command`, if it is near enough to be what the user meant.  Otherwise empty.
std::string nearest_command(const CLI::App& command, std::string_view word) {
  std::string best;
  std::size_t distance = 3;  // one or two typing errors
  for (const CLI::App* candidate : command.get_subcommands([](const CLI::App*) { return true; })) {
    const std::size_t candidate_distance = edit_distance(word, candidate->get_name());
    if (candidate_distance >= distance) continue;
    distance = candidate_distance;
    best = candidate->get_name();
  }
  return best;
}

std::string what_is_wrong(const CLI::App& command, const CLI::ParseError& error) {
  const bool has_commands = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  const std::vector<std::string> unknown = command.remaining();
  // The parser would say that a command is missing.  The message should name the word that is no command.
  if (has_commands && !unknown.empty() && unknown.front().front() != '-') {
    const std::string meant = nearest_command(command, unknown.front());
    const std::string hint = meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
    return fmt::format("'{}' is not a command of '{}'{}", unknown.front(), full_name(command), hint);
  }
  if (!unknown.empty() && unknown.front().size() > 1 && unknown.front().front() == '-') {
    return fmt::format("'{}' has no option '{}'", full_name(command), unknown.front());
  }
  if (has_commands && unknown.empty()) return fmt::format("'{}' needs a command", full_name(command));
  return error.what();
}

}  // namespace

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = deepest(program);
  return fmt::format("unscatter: {}\nTry '{} --help'.\n", what_is_wrong(command, error), full_name(command));
}

}  // namespace unscatter::cli
