// The user's own defaults: a TOML file with a section per command, such as [train], [forget], [datasets.generate].  Its
// keys are the options of the command without the dashes.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace unscatter::cli {

// Adds --config to a program that has all its commands. $UNSCATTER_CONFIG is the default.  A flag takes precedence over
// an environment variable, the variable over the file, and the file over the built-in default.
class ConfigFile {
 public:
  explicit ConfigFile(CLI::App& program);

  // What is wrong with the file, in one sentence that names it.  Empty if nothing is wrong.  `error` is the error of
  // parsing the command line, or null if there was none.  A value of the file may be its cause.
  [[nodiscard]] std::string problem(const CLI::ParseError* error) const;

 private:
  class Format;

  CLI::App& program_;
  std::shared_ptr<Format> format_;
};

}  // namespace unscatter::cli
