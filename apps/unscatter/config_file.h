// Defaults of one's own: a TOML file with a section per command, [train], [forget], [datasets.generate], whose keys are
// the commands' options without the dashes.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace unscatter::cli {

// Adds --config to a program that has all its commands; $UNSCATTER_CONFIG is its default.  A flag goes before an
// environment variable, that before the file, and the file before the built-in default.
class ConfigFile {
 public:
  explicit ConfigFile(CLI::App& program);

  // What is wrong with the file, in one sentence that names it; empty if nothing is.  `error` is what parsing the
  // command line ended with, null if it went well: a value of the file may be the cause.
  [[nodiscard]] std::string problem(const CLI::ParseError* error) const;
  // What to tell about the keys of the chosen command: former names.
  [[nodiscard]] const std::vector<std::string>& notes() const;

 private:
  class Format;

  CLI::App& program_;
  std::shared_ptr<Format> format_;
};

}  // namespace unscatter::cli
