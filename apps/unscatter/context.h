// What main() and the subcommands share, and how a subcommand hangs itself into the program.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "output.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"

namespace unscatter::cli {

// A subcommand's work.  The report goes to stdout as text or JSON, an error to stderr; main() does both.
using Action = std::function<Result<Report>()>;
// What is wrong with the command line beyond what the parser sees, such as options that do not go together.  An error
// is wrong usage: exit code 2.
using UsageCheck = std::function<Status()>;

class Context {
 public:
  // Gives `command` the options every command has (--json, --quiet), and `action` as what runs when the user chose it.
  // Whatever `action` and `check` refer to has to live as long as the context.
  void add_action(CLI::App& command, Action action, UsageCheck check = nullptr);

  // A bar on stderr, or silence: see make_progress().  Valid once the command line is parsed.
  [[nodiscard]] Progress& progress();
  // Prints `text` to stdout at once, for commands that tell a story as they go; nothing with --json.
  void say(std::string_view text) const;
  // One line on stderr that a person should see beside the result.
  void note(std::string_view sentence) const;

  [[nodiscard]] bool json() const noexcept { return json_; }
  [[nodiscard]] bool quiet() const noexcept { return quiet_; }
  // Runs what was chosen and prints the outcome.  Returns the exit code.
  [[nodiscard]] int run_chosen() const;

 private:
  bool json_ = false;
  bool quiet_ = false;
  Action chosen_;
  std::unique_ptr<Progress> progress_;
};

// Says `message` in one sentence on stderr and, with --json, as an error document on stdout.
void report_error(std::string_view code, std::string_view message, bool json);

}  // namespace unscatter::cli
