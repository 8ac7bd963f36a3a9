#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "completion.h"

namespace unscatter::cli {
namespace {

// Finds the command that the cursor is in, then what may stand at the cursor.  bash gives --name=value as three words.
constexpr std::string_view kBashEngine = R"(
_unscatter() {
  local path='unscatter' at word option='' current=${COMP_WORDS[COMP_CWORD]}
  local commands options files numbers choices positional
  COMPREPLY=()
  _unscatter_describe "$path"
  for ((at = 1; at < COMP_CWORD; ++at)); do
    word=${COMP_WORDS[at]}
    [[ -n $word ]] || continue
    if [[ " $files $numbers " == *" $word "* || $choices == *"|$word "* ]]; then
      option=$word
      [[ ${COMP_WORDS[at + 1]} == '=' ]] && ((++at))
      ((++at < COMP_CWORD)) && option=''
    elif [[ " $commands " == *" $word "* ]]; then
      path+=" $word"
      _unscatter_describe "$path"
    fi
  done
  [[ $current == '=' ]] && current=''
  if [[ -n $option && $choices == *"|$option "* ]]; then
    choices=${choices#*"|$option "}
    COMPREPLY=($(compgen -W "${choices%%|*}" -- "$current"))
  elif [[ -n $option && " $files " == *" $option "* ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ -n $option ]]; then
    return 0
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  elif [[ $positional == files ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _unscatter unscatter
)";

// A text that the shell takes as it is.
std::string bash_quoted(std::string_view text) { return '\'' + replaced(std::string(text), "'", "'\\''") + '\''; }

std::string bash_case(const CommandDescription& command) {
  std::vector<std::string> commands;
  std::vector<std::string> options;
  std::vector<std::string> files;
  std::vector<std::string> numbers;
  std::string choices;
  bool positional = false;
  for (const CommandDescription& below : command.commands) commands.push_back(below.name);
  for (const OptionDescription& option : command.options) {
    if (option.positional) {
      positional = positional || option.may_be_file();
      continue;
    }
    for (const std::string& name : option.names) {
      options.push_back(name);
      if (!option.choices.empty()) {
        choices += fmt::format("|{} {}", name, fmt::join(option.choices, " "));
      } else if (option.takes_value()) {
        (option.may_be_file() ? files : numbers).push_back(name);
      }
    }
  }
  const auto words = [](const std::vector<std::string>& list) {
    return bash_quoted(fmt::format("{}", fmt::join(list, " ")));
  };
  return fmt::format("    {})\n      commands={} positional={}\n      options={}\n", bash_quoted(command.path),
                     words(commands), positional ? "files" : "none", words(options)) +
         fmt::format("      files={}\n      numbers={}\n      choices={}\n      ;;\n", words(files), words(numbers),
                     bash_quoted(choices));
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  std::string text =
      "# bash completion for unscatter; written by: unscatter --completion bash\n\n"
      "# What the command that is named may be followed by.  choices: |OPTION VALUE VALUE|OPTION VALUE\n"
      "_unscatter_describe() {\n  case $1 in\n";
  for (const CommandDescription* command : flattened(program)) text += bash_case(*command);
  return text + "  esac\n}\n" + std::string(kBashEngine);
}

}  // namespace unscatter::cli
