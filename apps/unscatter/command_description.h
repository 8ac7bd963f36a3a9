// The commands of the program as plain values: what manual pages and shell completion are made from.  They come from
// the parser itself, so they name every option that it takes and no other.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace unscatter::cli {

struct OptionDescription {
  std::vector<std::string> names;    // as they are typed: "-w", "--workspace"; "OUT" for a positional one
  std::string summary;               // what --help says
  std::string group;                 // the heading that it stands under in --help
  std::string value;                 // TEXT, UINT or FLOAT; empty for a flag
  std::vector<std::string> choices;  // empty: not an enumeration
  std::string range;                 // "1 to 32"; empty if none is stated
  std::string initial;               // the default; empty if none is stated
  std::string environment;           // the variable that stands in for it; empty for none
  bool required = false;
  bool positional = false;

  [[nodiscard]] bool takes_value() const { return !value.empty(); }
  // Whether a value may be the name of a file.  The parser knows texts only, so this is every text without choices.
  [[nodiscard]] bool may_be_file() const { return value == "TEXT" && choices.empty(); }
};

struct CommandDescription {
  std::string name;     // "fetch"
  std::string path;     // "unscatter datasets fetch"
  std::string summary;  // one line
  std::string notes;    // what follows the options in --help
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;  // in the order of --help
};

// Hidden options, former names of options and the stand-ins of the laboratory are left out.
[[nodiscard]] CommandDescription describe(const CLI::App& command);

// `command` and everything below it, each command before those below it.
[[nodiscard]] std::vector<const CommandDescription*> flattened(const CommandDescription& command);

// The words of `text` between separators.
[[nodiscard]] std::vector<std::string> split_at(std::string_view text, char separator);

// `text` with every `from` replaced.
[[nodiscard]] std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace unscatter::cli
