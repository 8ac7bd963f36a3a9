#include "context.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "exit_code.h"
#include "terminal_progress.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cli {
namespace {

// False if stdout does not take it (a full disk, a closed descriptor).
bool write_to_stdout(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

}  // namespace

void Context::add_action(CLI::App& command, Action action) {
  command.add_flag("--json", json_, "Print one JSON document to stdout");
  command.add_flag("-q,--quiet", quiet_, "Show no progress");
  command.callback([this, action = std::move(action)] { chosen_ = action; });
}

Progress& Context::progress() {
  if (progress_ == nullptr) progress_ = make_progress(quiet_);
  return *progress_;
}

void Context::say(std::string_view text) const {
  // A failed write shows again, and is reported, when the report is printed.
  if (!json_) static_cast<void>(write_to_stdout(printable(text)));
}

int Context::run_chosen() const {
  invariant(chosen_ != nullptr, "a command without an action was chosen");
  const Result<Report> result = chosen_();
  if (!result.ok()) {
    report_error(error_code_name(result.error().code), result.error().message, json_);
    return kRefused;
  }
  const bool written = write_to_stdout(json_ ? document_text(result->json) : printable(result->text));
  if (written && std::ferror(stdout) == 0) return kDone;
  report_error(error_code_name(ErrorCode::kIo), "cannot write to standard output", false);
  return kRefused;
}

void report_error(std::string_view code, std::string_view message, bool json) {
  fmt::print(stderr, "unscatter: {}\n", printable(message));
  if (json) static_cast<void>(write_to_stdout(document_text(error_document(code, message))));
}

}  // namespace unscatter::cli
