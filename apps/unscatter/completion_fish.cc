#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "completion.h"

namespace unscatter::cli {
namespace {

// The command that the cursor is in.  A word counts only where a command of that name can stand.
constexpr std::string_view kFishEngine = R"(
function __unscatter_path
  set -l path unscatter
  set -l skip 0
  set -l words (commandline -opc)
  for word in $words[2..]
    if test $skip = 1
      set skip 0
    else if test "$path" = unscatter; and contains -- $word $__unscatter_valued
      set skip 1
    else if contains -- "$path $word" $__unscatter_paths
      set path "$path $word"
    end
  end
  echo $path
end

function __unscatter_at
  test (__unscatter_path) = "$argv"
end

complete -c unscatter -f
)";

std::string fish_quoted(std::string_view text) {
  return '\'' + replaced(replaced(std::string(text), "\\", "\\\\"), "'", "\\'") + '\'';
}

std::string fish_start(const CommandDescription& command) {
  return fmt::format("complete -c unscatter -n {}", fish_quoted("__unscatter_at " + command.path));
}

std::string fish_option(const OptionDescription& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty()) {
    text += fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  } else if (option.takes_value()) {
    text += option.may_be_file() ? " -r -F" : " -x";
  }
  return text + " -d " + fish_quoted(option.summary);
}

std::string fish_lines(const CommandDescription& command) {
  const std::string start = fish_start(command);
  std::string text;
  for (const CommandDescription& below : command.commands)
    text += fmt::format("{} -a {} -d {}\n", start, below.name, fish_quoted(below.summary));
  for (const OptionDescription& option : command.options) {
    if (!option.positional) {
      text += start + fish_option(option) + '\n';
    } else if (option.may_be_file()) {
      text += start + " -F\n";
    }
  }
  return text;
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  std::vector<std::string> paths;
  std::string lines;
  for (const CommandDescription* command : flattened(program)) {
    paths.push_back(fish_quoted(command->path));
    lines += fish_lines(*command);
  }
  std::vector<std::string> valued;
  for (const OptionDescription& option : program.options) {
    if (option.takes_value() && !option.positional)
      valued.insert(valued.end(), option.names.begin(), option.names.end());
  }
  return fmt::format(
             "# fish completion for unscatter; written by: unscatter --completion fish\n\n"
             "set -g __unscatter_paths {}\nset -g __unscatter_valued {}\n",
             fmt::join(paths, " "), fmt::join(valued, " ")) +
         std::string(kFishEngine) + lines;
}

}  // namespace unscatter::cli
