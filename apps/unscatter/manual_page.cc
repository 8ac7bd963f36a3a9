#include "manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

#include "help_notes.h"
#include "output.h"
#include "roff.h"

namespace unscatter::cli {
namespace {

struct Named {
  std::string_view name;
  std::string_view words;
};
// As in docs/cli.md; a test compares them.
constexpr Named kExitCodes[] = {
    {"0", "done"},
    {"1", "the request was refused or failed, or a check said \"not verified\"; the reason is on standard error"},
    {"2", "wrong usage"},
    {"70", "a bug in unscatter"},
};
constexpr Named kVariables[] = {
    {"UNSCATTER_DATA", "Folder of data sets on this machine."},
    {"UNSCATTER_RANK_TIMEOUT", "Under mpirun: a rank is lost after so many seconds without a sign of life."},
    {"UNSCATTER_CACHE", "Where fetched data sets go."},
    {"UNSCATTER_MIRROR", "Base URL that 'unscatter datasets fetch' downloads from."},
    {"UNSCATTER_CATALOGUE", "JSON file that replaces the built-in catalogue."},
    {"UNSCATTER_KEY", "The signing key, a file."},
    {"UNSCATTER_CONFIG", "The configuration file."},
};
constexpr Named kFiles[] = {
    {"$XDG_CONFIG_HOME/unscatter/signing.key",
     "The signing key, unless --key or UNSCATTER_KEY names another. Without XDG_CONFIG_HOME the folder is ~/.config."},
    {"$XDG_CACHE_HOME/unscatter",
     "Data sets that were fetched, unless UNSCATTER_CACHE names another folder. Without XDG_CACHE_HOME the folder is "
     "~/.cache."},
};

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string synopsis(const CommandDescription& command) {
  std::string text = roff::bold(command.path) + " [" + roff::italic("OPTIONS") + ']';
  for (const OptionDescription& option : command.options) {
    if (!option.positional) continue;
    const std::string name = roff::italic(option.names.front());
    text += option.required ? ' ' + name : " [" + name + ']';
  }
  if (!command.commands.empty()) text += ' ' + roff::italic("COMMAND") + " ...";
  return roff::section("SYNOPSIS") + text + '\n';
}

std::string description(const CommandDescription& command, const HelpNotes& notes) {
  std::string text = roff::section("DESCRIPTION") + roff::plain(as_sentence(command.summary)) + '\n';
  for (const HelpNotes::Block& block : notes.blocks) {
    const std::string lines = roff::plain(fmt::format("{}", fmt::join(block.lines, "\n")));
    // There is a section about them.
    if (block.lines.front().starts_with("Exit codes:")) continue;
    text += block.as_it_is ? roff::unfilled(lines) : roff::paragraph(lines);
  }
  return text;
}

std::string option_term(const OptionDescription& option) {
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "" : ", ") + roff::bold(name);
  return option.takes_value() && !option.positional ? term + ' ' + roff::italic(option.value) : term;
}

std::string option_words(const OptionDescription& option) {
  std::string text = as_sentence(option.summary);
  if (!option.choices.empty()) text += fmt::format(" One of {}.", fmt::join(option.choices, ", "));
  if (!option.range.empty()) text += fmt::format(" Range: {}.", option.range);
  if (!option.initial.empty()) text += fmt::format(" Default: {}.", option.initial);
  if (!option.environment.empty()) text += fmt::format(" Environment: {}.", option.environment);
  if (option.required) text += " Required.";
  return roff::plain(text);
}

std::string options_section(const CommandDescription& command) {
  std::vector<std::string> groups;
  for (const OptionDescription& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string text = roff::section("OPTIONS");
  for (const std::string& group : groups) {
    // The parser's own heading is that of the section.
    if (group != "Options" && group != "Positionals") text += roff::subsection(group);
    for (const OptionDescription& option : command.options) {
      if (option.group == group) text += roff::entry(option_term(option), option_words(option));
    }
  }
  return text;
}

std::string commands_section(const CommandDescription& command) {
  if (command.commands.empty()) return "";
  std::string text = roff::section("COMMANDS");
  for (const CommandDescription& below : command.commands) {
    text += roff::entry(roff::bold(manual_name(below)) + "(1)", roff::plain(as_sentence(below.summary)));
  }
  return text;
}

std::string list_section(std::string_view title, std::span<const Named> list) {
  std::string text = roff::section(title);
  for (const Named& one : list) text += roff::entry(roff::bold(one.name), roff::plain(as_sentence(one.words)));
  return text;
}

std::string examples_section(const HelpNotes& notes) {
  if (notes.examples.empty()) return "";
  const std::string lines = fmt::format("{}", fmt::join(notes.examples, "\n"));
  return roff::section("EXAMPLES") + roff::unfilled(roff::plain(lines));
}

// The program, the commands above and below, and the unit.
std::string see_also(const CommandDescription& command, const CommandDescription& program) {
  std::vector<std::string> pages;
  for (const CommandDescription* other : flattened(program)) {
    const bool above = command.path.starts_with(other->path + ' ');
    const bool below = other->path.starts_with(command.path + ' ');
    if (above || below) pages.push_back(roff::bold(manual_name(*other)) + "(1)");
  }
  if (&command == &program) pages.push_back(roff::bold("unscatter.service") + "(8)");
  return roff::section("SEE ALSO") + fmt::format("{}\n", fmt::join(pages, ",\n"));
}

}  // namespace

std::string manual_name(const CommandDescription& command) { return replaced(command.path, " ", "-"); }

std::string manual_page(const CommandDescription& command, const CommandDescription& program) {
  const std::string name = manual_name(command);
  const HelpNotes notes = read_help_notes(command.notes);
  std::string text =
      fmt::format(".\\\" Written by: unscatter --manuals FOLDER\n.TH {} 1 \"\" \"unscatter {}\" \"{}\"\n",
                  roff::plain(in_capitals(name)), UNSCATTER_VERSION, "Certified unlearning");
  // Options are long words.  Hyphenated or stretched lines would be hard to read.
  text += ".nr HY 0\n.ad l\n" + roff::section("NAME");
  text += fmt::format("{} \\- {}\n", roff::plain(name), roff::plain(command.summary));
  text += synopsis(command) + description(command, notes) + commands_section(command) + options_section(command);
  text += examples_section(notes) + list_section("EXIT STATUS", kExitCodes);
  if (&command == &program) text += list_section("ENVIRONMENT", kVariables);
  return text + list_section("FILES", kFiles) + see_also(command, program);
}

}  // namespace unscatter::cli
