#include "command_description.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "renamed_options.h"

namespace unscatter::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  if (!option.nonpositional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) {
    if (!rename_note("--" + name)) names.push_back("--" + name);
  }
  return names;
}

// "INT in [1 - 32]" is how the parser states a range, and "POSITIVE" is one.
std::string range_of(std::string_view limits) {
  if (limits == "POSITIVE") return "more than 0";
  const std::size_t open = limits.find(" in [");
  const std::size_t between = limits.find(" - ");
  const std::size_t close = limits.rfind(']');
  if (open == std::string_view::npos || between == std::string_view::npos || close == std::string_view::npos)
    return std::string(limits);
  const std::string_view low = limits.substr(open + 5, between - open - 5);
  return fmt::format("{} to {}", low, limits.substr(between + 3, close - between - 3));
}

// "TEXT:{csv,jsonl}", "UINT:INT in [1 - 32]", "FLOAT": the kind of value, then what is accepted.
void read_type(std::string_view type, OptionDescription& option) {
  const std::size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string_view::npos) return;
  std::string_view limits = type.substr(colon + 1);
  if (!limits.starts_with('{')) {
    option.range = range_of(limits);
    return;
  }
  limits.remove_prefix(1);
  option.choices = split_at(limits.substr(0, limits.find('}')), ',');
}

OptionDescription describe_option(const CLI::Option& option) {
  OptionDescription described;
  described.names = names_of(option);
  described.summary = option.get_description();
  described.group = option.get_group();
  if (option.get_expected_max() > 0) read_type(option.get_type_name(), described);
  // The parser has no word for the type of --config.
  if (option.get_expected_max() > 0 && described.value.empty()) described.value = "TEXT";
  described.initial = option.get_default_str();
  described.environment = option.get_envname();
  described.required = option.get_required();
  described.positional = !option.nonpositional();
  return described;
}

CommandDescription describe_below(const CLI::App& command, const std::string& above) {
  CommandDescription described;
  described.name = command.get_name();
  described.path = above + command.get_name();
  described.summary = command.get_description();
  described.notes = command.get_footer();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) described.options.push_back(describe_option(*option));
  }
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_allow_extras()) described.commands.push_back(describe_below(*below, described.path + ' '));
  }
  return described;
}

void flatten(const CommandDescription& command, std::vector<const CommandDescription*>& all) {
  all.push_back(&command);
  for (const CommandDescription& below : command.commands) flatten(below, all);
}

}  // namespace

CommandDescription describe(const CLI::App& command) { return describe_below(command, ""); }

std::vector<const CommandDescription*> flattened(const CommandDescription& command) {
  std::vector<const CommandDescription*> all;
  flatten(command, all);
  return all;
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return parts;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace unscatter::cli
