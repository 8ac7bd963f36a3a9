#include "laboratory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "cluster/ranks.h"
#include "context.h"
#include "exit_code.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

// In the folder of the running program; empty if it is not there.
fs::path laboratory_program() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  fs::path program = self.parent_path() / "unscatter-laboratory";
  return fs::exists(program, failed) ? program : fs::path();
}

// The word that stands where a command stands: the first one that is neither an option nor the value of one.
std::string_view command_word(int argc, char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--config") {
      ++i;
    } else if (word.empty() || word.front() != '-') {
      return word;
    }
  }
  return {};
}

}  // namespace

std::optional<int> hand_over_to_laboratory(int argc, char* const* argv) {
  const std::string_view command = command_word(argc, argv);
  const bool of_laboratory = std::any_of(kLaboratoryCommands.begin(), kLaboratoryCommands.end(),
                                         [command](const LaboratoryCommand& one) { return command == one.name; });
  if (!of_laboratory) return std::nullopt;
  const bool json = asks_for_json(argc, argv);
  if (cluster::is_one_of_many()) {
    if (cluster::speaks_for_the_job()) {
      report_error(error_code_name(ErrorCode::kUnsupported),
                   fmt::format("'{}' runs in one process; start it without mpirun", command), json);
    }
    return kRefused;
  }
  const fs::path program = laboratory_program();
  if (program.empty()) {
    report_error(error_code_name(ErrorCode::kNotFound),
                 fmt::format("'{}' is a command of the laboratory, which is not installed; build it from the sources "
                             "(`make {}`) and call build/release/apps/unscatter/unscatter there",
                             command, command == kBenchCommand.name ? "bench" : "build"),
                 json);
    return kRefused;
  }
  execv(program.c_str(), argv);
  report_error(error_code_name(ErrorCode::kIo),
               fmt::format("'{}' does not start: {}", program.string(), std::generic_category().message(errno)), json);
  return kRefused;
}

void add_laboratory_stand_ins(CLI::App& program) {
  const bool there = !laboratory_program().empty();
  for (const LaboratoryCommand& one : kLaboratoryCommands) {
    CLI::App& command = *program.add_subcommand(one.name, one.summary);
    command.allow_extras();
    if (!there) command.group("");
  }
}

}  // namespace unscatter::cli
