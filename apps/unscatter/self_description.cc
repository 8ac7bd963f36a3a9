#include "self_description.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "command_description.h"
#include "completion.h"
#include "context.h"
#include "exit_code.h"
#include "files.h"
#include "manual_page.h"
#include "unscatter/base/result.h"

namespace unscatter::cli {
namespace {

Status print_completion(const CommandDescription& program, const std::string& shell) {
  const auto completion = shell == "bash" ? bash_completion : shell == "zsh" ? zsh_completion : fish_completion;
  return write_fully(STDOUT_FILENO, "standard output", completion(program));
}

Status write_manuals(const CommandDescription& program, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::kIo, fmt::format("'{}' cannot be made: {}", folder.string(), failed.message())};
  for (const CommandDescription* command : flattened(program)) {
    UNSCATTER_CHECK_OK(replace_file(folder / (manual_name(*command) + ".1"), manual_page(*command, program)));
  }
  return ok_status();
}

}  // namespace

SelfDescription::SelfDescription(CLI::App& program) : program_(program) {
  // Without this end the parser would miss a command.
  const auto end_with = [](std::optional<std::string>& asked) {
    return [&asked](const std::string& value) {
      asked = value;
      throw CLI::Success();
    };
  };
  program.add_option_function<std::string>("--completion", end_with(shell_), "Print completion for a shell, and exit")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->configurable(false)
      ->trigger_on_parse();
  program
      .add_option_function<std::string>("--manuals", end_with(folder_),
                                        "Write the manual pages into this folder, and exit")
      ->configurable(false)
      ->trigger_on_parse();
}

int SelfDescription::answer() const {
  const CommandDescription program = describe(program_);
  const Status answered = shell_ ? print_completion(program, *shell_) : write_manuals(program, folder_.value_or(""));
  if (answered.ok()) return kDone;
  report_error(error_code_name(answered.error().code), answered.error().message, false);
  return kRefused;
}

}  // namespace unscatter::cli
