// Options of the program by which it tells about itself, for those who install it: --completion and --manuals.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace unscatter::cli {

class SelfDescription {
 public:
  // Adds the options to a program that has all its commands.  If one of them is given, parsing ends there by
  // CLI::Success, and asked() is true.
  explicit SelfDescription(CLI::App& program);

  // Its options refer to it.
  SelfDescription(const SelfDescription&) = delete;
  SelfDescription& operator=(const SelfDescription&) = delete;
  SelfDescription(SelfDescription&&) = delete;
  SelfDescription& operator=(SelfDescription&&) = delete;
  ~SelfDescription() = default;

  [[nodiscard]] bool asked() const { return shell_ || folder_; }
  // Prints the completion, or writes one page per command into the folder.  Returns an exit code (exit_code.h).
  [[nodiscard]] int answer() const;

 private:
  const CLI::App& program_;
  std::optional<std::string> shell_;
  std::optional<std::string> folder_;
};

}  // namespace unscatter::cli
