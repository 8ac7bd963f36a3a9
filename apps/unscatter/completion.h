// What lets a shell complete commands, options and their values.  The scripts are made from the parser's description,
// so they know what the program knows.  Where an option takes a text without stated choices, the shell offers files.
#pragma once

#include <string>

#include "command_description.h"

namespace unscatter::cli {

// For bash-completion's folder, or eval "$(unscatter --completion bash)".
[[nodiscard]] std::string bash_completion(const CommandDescription& program);
// For a folder of $fpath, under the name _unscatter.  It can also be sourced after compinit.
[[nodiscard]] std::string zsh_completion(const CommandDescription& program);
// For fish's folder of completions, or unscatter --completion fish | source.
[[nodiscard]] std::string fish_completion(const CommandDescription& program);

}  // namespace unscatter::cli
