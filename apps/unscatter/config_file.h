// The user's own defaults: a TOML file with a section per command, such as [train], [forget], [datasets.generate].  Its
// keys are the options of the command without the dashes.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace unscatter::cli {

// Whether $UNSCATTER_CONFIG names a file.
[[nodiscard]] bool has_config_file_in_environment();

// Adds --config to a program that has all its commands. $UNSCATTER_CONFIG is the default.  A flag takes precedence over
// an environment variable, the variable over the file, and the file over the built-in default.
class ConfigFile {
 public:
  explicit ConfigFile(CLI::App& program);

  // What is wrong with the file, in one sentence that names it.  Empty if nothing is wrong.  `error` is the error of
  // parsing the command line, or null if there was none.  A value of the file may be its cause.
  [[nodiscard]] std::string problem(const CLI::ParseError* error) const;
  // What to tell about the keys of the chosen command: former names.
  [[nodiscard]] const std::vector<std::string>& notes() const;

 private:
  class Format;

  CLI::App& program_;
  std::shared_ptr<Format> format_;
};

}  // namespace unscatter::cli
