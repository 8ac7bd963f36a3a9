// What main() and the subcommands share, and how a subcommand becomes part of the program.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "output.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"

namespace unscatter {

class ShardCrew;

namespace cli {

// The work of a subcommand. main() prints its report to stdout as text or JSON, and an error to stderr.
using Action = std::function<Result<Report>()>;
// Finds what is wrong with the command line beyond what the parser sees, such as options that exclude each other.  An
// error is wrong usage: exit code 2.
using UsageCheck = std::function<Status()>;

class Context {
 public:
  // `crew`: the other processes, where the program runs on many machines.
  explicit Context(ShardCrew* crew = nullptr) : crew_(crew) {}
  [[nodiscard]] ShardCrew* crew() const noexcept { return crew_; }

  // Gives `command` the options of every command (--json, --quiet), and `action` to run when the user has chosen it.
  // Everything that `action` and `check` refer to must live as long as the context.
  void add_action(CLI::App& command, Action action, UsageCheck check = nullptr);

  // A bar on stderr, or silence; see make_progress().  Valid after the command line was parsed.
  [[nodiscard]] Progress& progress();
  // Prints `text` to stdout at once, for commands that report while they work.  Prints nothing with --json.
  void say(std::string_view text) const;
  // Prints one line on stderr that a person should see beside the result.
  void note(std::string_view sentence) const;

  [[nodiscard]] bool json() const noexcept { return json_; }
  [[nodiscard]] bool quiet() const noexcept { return quiet_; }
  // Runs the chosen command and prints the outcome.  Returns the exit code.
  [[nodiscard]] int run_chosen() const;

 private:
  ShardCrew* crew_;
  bool json_ = false;
  bool quiet_ = false;
  Action chosen_;
  std::unique_ptr<Progress> progress_;
};

// Is --json among the words?  For what goes wrong before they are parsed.
[[nodiscard]] bool asks_for_json(int argc, const char* const* argv);

// Says `message` in one sentence on stderr and, with --json, as an error document on stdout.
void report_error(std::string_view code, std::string_view message, bool json);

}  // namespace cli
}  // namespace unscatter
