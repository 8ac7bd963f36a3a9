#include "context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "exit_code.h"
#include "terminal_progress.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cli {
namespace {

// False if stdout does not accept it (a full disk, a closed descriptor).  Without the flush, the error would show up
// after the exit code was decided.
bool write_to_stdout(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

}  // namespace

void Context::add_action(CLI::App& command, Action action, UsageCheck check) {
  command.add_flag("--json", json_, "Print one JSON document to stdout");
  command.add_flag("-q,--quiet", quiet_, "Show no progress");
  command.callback([this, action = std::move(action), check = std::move(check)] {
    if (check != nullptr) {
      if (const Status usage = check(); !usage.ok()) throw CLI::ValidationError(usage.error().message);
    }
    chosen_ = action;
  });
}

Progress& Context::progress() {
  if (progress_ == nullptr) progress_ = make_progress(quiet_);
  return *progress_;
}

void Context::say(std::string_view text) const {
  // A failed write shows up again, and is reported, when the report is printed.
  if (!json_) static_cast<void>(write_to_stdout(printable(text)));
}

void Context::note(std::string_view sentence) const {
  if (progress_ != nullptr) progress_->end();  // a bar would stand on the same line
  fmt::print(stderr, "unscatter: {}\n", printable(sentence));
}

int Context::run_chosen() const {
  invariant(chosen_ != nullptr, "a command without an action was chosen");
  const Result<Report> result = chosen_();
  if (!result.ok()) {
    report_error(error_code_name(result.error().code), result.error().message, json_);
    return kRefused;
  }
  Json document = result->json;
  // A report with a refusal keeps its content.  The error joins it in the same document.
  if (result->refusal)
    document.update(error_document(error_code_name(result->refusal->code), result->refusal->message));
  const bool written = write_to_stdout(json_ ? document_text(document) : printable(result->text));
  if (!written || std::ferror(stdout) != 0) {
    const std::string but = result->stands.empty() ? "" : fmt::format(", but {}", result->stands);
    report_error(error_code_name(ErrorCode::kIo), fmt::format("standard output cannot be written{}", but), false);
    return kRefused;
  }
  if (!result->refusal) return kDone;
  report_error(error_code_name(result->refusal->code), result->refusal->message, false);
  return kRefused;
}

bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

void report_error(std::string_view code, std::string_view message, bool json) {
  fmt::print(stderr, "unscatter: {}\n", printable(as_sentence(message)));
  if (json) static_cast<void>(write_to_stdout(document_text(error_document(code, message))));
}

}  // namespace unscatter::cli
