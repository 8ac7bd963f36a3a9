#include "usage.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/near_miss.h"
#include "output.h"

namespace unscatter::cli {
namespace {

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
  std::vector<std::string_view> names;
  for (const CLI::App* candidate : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(candidate->get_name());
  return std::string(nearest_word(word, names));
}

// The same among the options: "--epsilom" is "--epsilon".
std::string nearest_option(const CLI::App& command, std::string_view word) {
  std::vector<std::string_view> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  while (word.starts_with('-')) word.remove_prefix(1);
  word = word.substr(0, word.find('='));
  const std::string_view found = nearest_word(word, names);
  return found.empty() ? "" : fmt::format("--{}", found);
}

// What stands before and after `middle` in `text`.  Both are empty if it is not there.
std::pair<std::string, std::string> around(std::string_view text, std::string_view middle) {
  const std::size_t at = text.find(middle);
  if (at == std::string_view::npos) return {};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + middle.size()))};
}

bool is_count(const CLI::Option& option) { return option.get_type_name().starts_with("UINT"); }
bool is_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("FLOAT") || type.starts_with("INT");
}

std::string kind_words(const CLI::App& command, const std::string& name) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option != nullptr && is_count(*option)) return "a whole number from 0";
  return option != nullptr && is_number(*option) ? "a number" : "another value";
}

bool is_plain_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && std::isfinite(value);
}

// "0.000000 to 1.000000" as people write it.  Other words stay as they are.
std::string range_as_written(const std::string& range) {
  const auto [low, high] = around(range, " to ");
  if (!is_plain_number(low) || !is_plain_number(high)) return range;
  return fmt::format("{:g} to {:g}", std::strtod(low.c_str(), nullptr), std::strtod(high.c_str(), nullptr));
}

// The parser's own words about a range: "--scales: Value 50 not in range 1 to 32".
std::optional<std::string> range_words(std::string_view what) {
  const auto [left, range] = around(what, " not in range ");
  if (!range.empty()) {
    const auto [name, value] = around(left, ": Value ");
    if (is_plain_number(value))
      return fmt::format("{} {} is outside its range, {}", name, value, range_as_written(range));
  }
  const auto [option, rest] = around(what, ": Number less or equal to 0: (");
  if (!rest.empty())
    return fmt::format("{} {} is outside its range; it is more than 0", option, around(rest, ")").first);
  return std::nullopt;
}

// The parser knows what is wrong and says it in words of its own.  These are ours.
std::string in_our_words(const CLI::App& command, const CLI::ParseError& error) {
  std::string what = error.what();
  if (const auto [front, rest] = around(what, "Could not convert: "); !rest.empty()) {
    const auto [name, value] = around(rest, " = ");
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && option->get_expected_max() == 0)
      return fmt::format("{} takes no value; leave out '{}'", name, value);
    return fmt::format("{} takes {}, not '{}'", name, kind_words(command, name), value);
  }
  if (const auto [name, value] = around(what, ": Value "); !value.empty()) {
    const auto [text, range] = around(value, " not in range ");
    const std::string limits = range_as_written(range.substr(0, range.find(';')));
    if (!range.empty()) return fmt::format("{} takes a number, {}, not '{}'", name, limits, text);
  }
  if (const auto [name, rest] = around(what, ": Failed parsing number: ("); !rest.empty())
    return fmt::format("{} takes {}, not '{}'", name, kind_words(command, name), around(rest, ")").first);
  if (const auto [left, names] = around(what, " not in {"); !names.empty()) {
    const auto [name, value] = around(left, ": ");
    std::string list = around(names, "}").first;
    for (std::size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 2) list.replace(at, 1, ", ");
    return fmt::format("{} '{}' is not known; it is one of {}", name, value, list);
  }
  if (what.ends_with(" is required")) {
    return fmt::format("{} is missing; '{}' needs it",
                       what.substr(0, what.size() - std::string_view(" is required").size()), full_name(command));
  }
  if (const auto [name, rest] = around(what, ": 1 required "); rest.ends_with(" missing"))
    return fmt::format("{} needs a value behind it", name);
  if (const auto [name, rest] = around(what, ": At Most "); !rest.empty())
    return fmt::format("{} is given more than once; give it once", name);
  if (const auto [front, words] = around(what, "not expected: "); !words.empty())
    return fmt::format("'{}' has no place on this command line; values stand behind their option", words);
  for (const std::string_view words : {" was given a disallowed flag override", ": Should be true/false or a number"}) {
    const std::string name = around(what, words).first;
    if (!name.empty()) return fmt::format("{} takes no value", name);
  }
  return what;
}

std::string what_is_wrong(const CLI::App& command, const CLI::ParseError& error) {
  const bool has_commands = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  const std::vector<std::string> unknown = command.remaining();
  const auto did_you_mean = [](const std::string& meant) {
    return meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
  };
  // The parser would say that a command is missing.  The message should name the word that is no command.
  if (has_commands && !unknown.empty() && !unknown.front().starts_with('-')) {
    return fmt::format("'{}' is not a command of '{}'{}", unknown.front(), full_name(command),
                       did_you_mean(nearest_command(command, unknown.front())));
  }
  if (!unknown.empty() && unknown.front().size() > 1 && unknown.front().front() == '-') {
    return fmt::format("'{}' has no option '{}'{}", full_name(command), unknown.front(),
                       did_you_mean(nearest_option(command, unknown.front())));
  }
  const bool wrong_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
  if (has_commands && unknown.empty() && !wrong_value) return fmt::format("'{}' needs a command", full_name(command));
  return in_our_words(command, error);
}

// A count is written in digits.  The parser would take "-1" for a huge number, "010" for eight and "0x10" for sixteen.
std::string wrong_count(const std::string& text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc::result_out_of_range) return fmt::format("'{}' is too large for a whole number", text);
  const bool all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!all) return fmt::format("'{}' is not a whole number from 0", text);
  return text.size() > 1 && text.front() == '0' ? fmt::format("'{}' has a zero in front; leave it out", text) : "";
}

// Beyond that nobody has processors, and memory is taken for every thread.
constexpr std::uint64_t kMostThreads = 1024;

std::string wrong_thread_count(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > kMostThreads ? fmt::format("Value {} not in range 0 to {}", text, kMostThreads) : "";
}

void check_option(CLI::Option& option) {
  const std::string name = option.get_name();
  if (is_count(option)) {
    option.check([](const std::string& text) { return wrong_count(text); }, "");
    if (name == "--threads") option.check([](const std::string& text) { return wrong_thread_count(text); }, "");
  } else if (is_number(option)) {
    option.check(
        [](const std::string& text) {
          return is_plain_number(text) ? std::string() : fmt::format("'{}' is not a number", text);
        },
        "");
  }
}

}  // namespace

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = deepest(program);
  return fmt::format("unscatter: {}\nTry '{} --help'.\n", as_sentence(what_is_wrong(command, error)),
                     full_name(command));
}

std::string option_words(const CLI::App& program, const CLI::ParseError& error) {
  return in_our_words(deepest(program), error);
}

std::optional<std::string> out_of_range(const CLI::ParseError& error) { return range_words(error.what()); }

std::function<std::string(const std::string&)> number_between(double low, double high, std::string_view words) {
  return [low, high, words = std::string(words)](const std::string& text) {
    const double value = std::strtod(text.c_str(), nullptr);
    const bool inside = value >= low && value <= high;
    // As the parser's own check says it, so that both are read alike.
    return inside ? std::string() : fmt::format("Value {} not in range {}", text, words);
  };
}

void check_numbers(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) check_option(*option);
  for (CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) check_numbers(*below);
}

}  // namespace unscatter::cli
