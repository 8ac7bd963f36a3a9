#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "completion.h"

namespace unscatter::cli {
namespace {

std::string zsh_quoted(std::string_view text) { return '\'' + replaced(std::string(text), "'", "'\\''") + '\''; }

// In a specification of _arguments brackets and colons have a meaning.
std::string zsh_words(std::string text) {
  for (const std::string_view special : {"\\", "[", "]", ":"})
    text = replaced(std::move(text), special, fmt::format("\\{}", special));
  return text;
}

std::string zsh_value(const OptionDescription& option) {
  if (!option.takes_value()) return "";
  const std::string value = zsh_words(option.value);
  if (!option.choices.empty()) return fmt::format(":{}:({})", value, fmt::join(option.choices, " "));
  return fmt::format(":{}:{}", value, option.may_be_file() ? "_files" : " ");
}

// An option that takes a value may be written as two words or with '=' between them.  A short one is followed by it.
std::string zsh_name(const OptionDescription& option, const std::string& name) {
  if (!option.takes_value()) return name;
  return name + (name.starts_with("--") ? "=" : "+");
}

std::string zsh_option(const OptionDescription& option) {
  if (option.positional)
    return fmt::format("    {} \\\n", zsh_quoted(fmt::format(":{}:{}", zsh_words(option.names.front()),
                                                             option.may_be_file() ? "_files" : " ")));
  std::string text;
  const std::string exclusive = fmt::format("({})", fmt::join(option.names, " "));
  for (const std::string& name : option.names) {
    const std::string words =
        fmt::format("{}{}[{}]{}", exclusive, zsh_name(option, name), zsh_words(option.summary), zsh_value(option));
    text += fmt::format("    {} \\\n", zsh_quoted(words));
  }
  return text;
}

std::string zsh_function_name(const CommandDescription& command) { return '_' + replaced(command.path, " ", "_"); }

// What follows a command that has commands below it.
std::string zsh_commands(const CommandDescription& command) {
  std::string text = "  case $state in\n    command)\n      local -a commands=(\n";
  for (const CommandDescription& below : command.commands)
    text += fmt::format("        {}\n", zsh_quoted(below.name + ':' + replaced(below.summary, ":", "\\:")));
  text += "      )\n      _describe -t commands command commands\n      ;;\n    below)\n      case $line[1] in\n";
  for (const CommandDescription& below : command.commands)
    text += fmt::format("        {}) {} ;;\n", below.name, zsh_function_name(below));
  return text + "      esac\n      ;;\n  esac\n";
}

std::string zsh_function(const CommandDescription& command) {
  const bool has_commands = !command.commands.empty();
  std::string text = fmt::format("{}() {{\n", zsh_function_name(command));
  text += "  local curcontext=$curcontext state state_descr context ret=1\n  local -a line\n  typeset -A opt_args\n";
  text += fmt::format("  _arguments -s -S {}\\\n", has_commands ? "-C " : "");
  for (const OptionDescription& option : command.options) text += zsh_option(option);
  if (has_commands) text += "    '1:command:->command' \\\n    '*::argument:->below' \\\n";
  text += "    && ret=0\n";
  if (has_commands) text += zsh_commands(command);
  return text + "  return ret\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
  std::string text = "#compdef unscatter\n# zsh completion for unscatter; written by: unscatter --completion zsh\n\n";
  for (const CommandDescription* command : flattened(program)) text += zsh_function(*command);
  // Found in $fpath, the file is the body of the function.  Sourced, it has to say what it completes.
  return text +
         "if [[ $funcstack[1] == _unscatter ]]; then\n  _unscatter \"$@\"\nelse\n  compdef _unscatter unscatter\nfi\n";
}

}  // namespace unscatter::cli
