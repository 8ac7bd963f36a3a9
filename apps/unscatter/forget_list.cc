#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "certificate_words.h"
#include "forget.h"
#include "interrupt.h"
#include "removal_words.h"
#include "unscatter/store/request_text.h"

namespace unscatter::cli {
namespace {

// A list may have thousands of bad lines, and a terminal shows a screen of them.
constexpr std::size_t kShownRefusals = 20;
// Who mends a list wants to see what is wrong, up to some number.
constexpr std::size_t kShownWrongLines = 100;

// Follows a list: shows progress, writes receipts and openings after each update, and says when to stop.
class ListRun {
 public:
  ListRun(const RequestFile& file, std::size_t done_before, Progress& progress, std::optional<LineFile> receipts,
          std::optional<LineFile> openings)
      : file_(file),
        progress_(progress),
        receipts_(std::move(receipts)),
        openings_(std::move(openings)),
        next_kept_(done_before),
        done_(done_before) {
    if (openings_) {
      hand_out_ = [this](const Forgotten& outcome) {
        return openings_->append(
            opening_lines(outcome, [&](std::size_t i) { return kept_beside(outcome.requests[i]); }));
      };
    }
    progress_.begin("forgetting", file_.requests.size() - done_before);
  }

  void acknowledge(std::size_t done, const Forgotten& outcome) {
    ++updates_;
    honoured_ += outcome.requests.size();
    if (is_larger(outcome.exposure)) exposure_ = outcome.exposure;
    progress_.advance(done - done_);
    done_ = done;
    // The update is in force whatever becomes of its files.  The first failure stops the list before the next update,
    // so that at most one receipt is missing.
    if (Status written = write(outcome); !written.ok() && !failure_) failure_ = std::move(written).error();
  }

  // Salts go out before the update is written: they are kept nowhere else.
  [[nodiscard]] const std::function<Status(const Forgotten&)>& hand_out() const { return hand_out_; }
  [[nodiscard]] bool stop() const { return failure_.has_value() || InterruptWatch::requested(); }
  // A file that could not be written.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] std::size_t updates() const { return updates_; }
  [[nodiscard]] std::size_t honoured() const { return honoured_; }
  [[nodiscard]] std::size_t done() const { return done_; }
  // The largest of all updates.
  [[nodiscard]] const Exposure& exposure() const { return exposure_; }

 private:
  // Among updates of which nothing can be computed, the one that the most models know.
  [[nodiscard]] bool is_larger(const Exposure& found) const {
    const auto rank = [](const Exposure& one) { return std::pair(one.shift, one.models + one.older); };
    return rank(found) >= rank(exposure_);
  }
  Status write(const Forgotten& outcome) {
    // Each line is durable when it is appended.  After a crash the workspace still has every receipt, and the same list
    // writes those that are missing.
    if (receipts_) UNSCATTER_CHECK_OK(receipts_->append(compact_receipt(outcome.receipt) + '\n'));
    return ok_status();
  }

  // What --keep-fields keeps beside a request that is honoured.  Honoured requests come in the order of the list, and
  // refused ones are left out.
  std::string kept_beside(const RemovalRequest& request) {
    if (file_.kept.empty()) return "";
    const std::string text = request_text(request);
    while (next_kept_ < file_.requests.size()) {
      const std::size_t at = next_kept_++;
      if (request_text(file_.requests[at]) == text) return file_.kept[at];
    }
    return "";
  }

  const RequestFile& file_;
  Progress& progress_;
  std::optional<LineFile> receipts_;
  std::optional<LineFile> openings_;
  std::function<Status(const Forgotten&)> hand_out_;
  std::optional<Error> failure_;
  std::size_t updates_ = 0;
  std::size_t honoured_ = 0;
  std::size_t next_kept_ = 0;
  std::size_t done_ = 0;
  Exposure exposure_;
};

struct ListReport {
  Workspace::ListOutcome outcome;
  std::optional<Error> failure;  // what ended it before its time
  double seconds = 0;
  StageTimes stages;
  std::size_t receipts_written = 0;  // that an earlier run had not written
  Exposure exposure;                 // the largest of all updates
  std::optional<KnowingModels> known;
};

Json stages_json(const StageTimes& stages) {
  return {{"update", stages.update},
          {"record", stages.record},
          {"write", stages.write},
          {"commit", stages.commit},
          {"checkpoint", stages.checkpoint}};
}

std::string stages_words(const StageTimes& stages) {
  const double total = stages.update + stages.record + stages.write + stages.commit + stages.checkpoint;
  const auto share = [total](double seconds) { return total > 0 ? 100 * seconds / total : 0; };
  return fmt::format("update {:.0f} %, record {:.0f} %, write {:.0f} %, commit {:.0f} %, checkpoint {:.0f} %",
                     share(stages.update), share(stages.record), share(stages.write), share(stages.commit),
                     share(stages.checkpoint));
}

// The library counts requests, and a person looks for a line.
Error at_line(const ForgetArguments& arguments, const RequestFile& file, Error error) {
  if (!error.request) return error;
  error.message = fmt::format("{}, line {}: {}", arguments.what.requests, file.lines[*error.request], error.message);
  return error;
}

// What the exit code and stderr say: nothing, or why the answer is no.  A script must notice a list that was not
// honoured in full.
std::optional<Error> list_refusal(const ListReport& run, const RequestFile& file) {
  if (run.failure) return run.failure;
  const std::size_t total = file.requests.size() + file.wrong.size();
  const std::size_t done = run.outcome.done_before + run.outcome.honoured + run.outcome.refused.size();
  if (run.outcome.stopped) {
    return Error{
        ErrorCode::kUnavailable,
        fmt::format(
            "interrupted after {} of {} requests, all of them in force and on disk; the same command goes on there",
            done, total)};
  }
  if (!run.outcome.refused.empty() || !file.wrong.empty()) {
    const ErrorCode code = file.wrong.empty() ? run.outcome.refused.front().code : file.wrong.front().error.code;
    return Error{code, fmt::format("{} of {} requests refused; the others are in force",
                                   run.outcome.refused.size() + file.wrong.size(), total)};
  }
  return std::nullopt;
}

struct RefusedLine {
  std::size_t line = 0;
  Error error;
};

// Lines that are wrong and requests that were refused, in the order of the list.
std::vector<RefusedLine> refused_lines(const RequestFile& file, const Workspace::ListOutcome& outcome) {
  std::vector<RefusedLine> lines;
  for (const RequestFile::WrongLine& wrong : file.wrong) lines.push_back({wrong.line, wrong.error});
  for (const Error& refusal : outcome.refused) lines.push_back({file.lines[refusal.request.value()], refusal});
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return lines;
}

Json refused_json(const std::vector<RefusedLine>& lines) {
  Json list = Json::array();
  for (const RefusedLine& refused : lines) {
    list.push_back(
        {{"line", refused.line}, {"code", error_code_name(refused.error.code)}, {"message", refused.error.message}});
  }
  return list;
}

// Wrong lines, and nothing was begun.
Report refuse_wrong_lines(const ForgetArguments& arguments, const RequestFile& file) {
  const std::vector<RefusedLine> lines = refused_lines(file, {});
  std::string message = fmt::format("'{}' has {}; nothing was changed.", arguments.what.requests,
                                    counted(lines.size(), "wrong line", "wrong lines"));
  for (const RefusedLine& wrong : std::span(lines).first(std::min(lines.size(), kShownWrongLines)))
    message += fmt::format("\n  line {}: {}", wrong.line, wrong.error.message);
  if (lines.size() > kShownWrongLines)
    message += fmt::format("\n  and {} more; --json names all", grouped(lines.size() - kShownWrongLines));
  message += arguments.skip_refused ? "\nNo line is left that could be honoured."
                                    : "\nMend them, or pass over them with --skip-refused.";
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"dry_run", arguments.dry_run},
                 {"requests", file.requests.size() + file.wrong.size()},
                 {"honoured", 0},
                 {"updates", 0},
                 {"refused", refused_json(lines)}};
  report.refusal = Error{lines.front().error.code, std::move(message)};
  return report;
}

Report report_list(const ForgetArguments& arguments, const RequestFile& file, const ListReport& run,
                   const WorkspaceInfo& info) {
  const Workspace::ListOutcome& outcome = run.outcome;
  const double rate = run.seconds > 0 ? static_cast<double>(outcome.honoured) / run.seconds : 0;
  Report report;
  report.refusal = list_refusal(run, file);
  if (outcome.updates > 0) {
    report.stands = fmt::format("{} of the list are in force, up to ledger entry {}",
                                counted(outcome.honoured, "request", "requests"), info.entries - 1);
  }
  const std::vector<RefusedLine> refused = refused_lines(file, outcome);
  const std::size_t total = file.requests.size() + file.wrong.size();
  report.json = {{"workspace", arguments.workspace.path},
                 {"dry_run", false},
                 {"requests", total},
                 {"done_before", outcome.done_before},
                 {"honoured", outcome.honoured},
                 {"updates", outcome.updates},
                 {"refused", refused_json(refused)},
                 {"stopped", outcome.stopped},
                 {"receipts_of_earlier_runs", run.receipts_written},
                 {"entries", info.entries},
                 {"hash", info.head.hex()},
                 {"certificate", certificate_json(info.certificate)},
                 {"exposure", outcome.updates > 0 ? exposure_json(run.exposure) : Json(nullptr)},
                 {"known_to", outcome.updates > 0 && run.known ? run.known->json(run.exposure) : Json(nullptr)},
                 {"seconds", run.seconds},
                 {"requests_per_second", rate},
                 {"stage_seconds", stages_json(run.stages)}};

  Table table({{""}, {""}});
  if (outcome.done_before > 0) {
    table.add_row(
        {"done before", fmt::format("{} of {}, by an earlier run", grouped(outcome.done_before), grouped(total))});
  }
  table.add_row(
      {"forgotten", fmt::format("{} of {}, in {}", grouped(outcome.honoured), counted(total, "request", "requests"),
                                counted(outcome.updates, "update", "updates"))});
  if (run.receipts_written > 0) {
    table.add_row({"receipts", fmt::format("{} that an earlier run had not written", grouped(run.receipts_written))});
  }
  table.add_row({"graphs left", grouped(info.graphs)});
  if (outcome.updates > 0) {
    add_certificate_rows(table, info.certificate);
    table.add_row({"exposure", fmt::format("at most, of these updates: {}",
                                           exposure_words(run.exposure, info.certificate.promise))});
    if (run.known) run.known->add_rows(table, run.exposure, info.certificate.promise);
  }
  table.add_row(
      {"ledger", fmt::format("{}, last hash {}", counted(info.entries, "entry", "entries"), info.head.hex())});
  table.add_row({"time", fmt::format("{:.3f} s, {:.0f} requests/s: {}", run.seconds, rate, stages_words(run.stages))});
  for (const RefusedLine& line : std::span(refused).first(std::min(refused.size(), kShownRefusals)))
    table.add_row({"refused", fmt::format("line {}: {}", line.line, line.error.message)});
  if (refused.size() > kShownRefusals)
    table.add_row({"", fmt::format("and {} more; --json names all", grouped(refused.size() - kShownRefusals))});
  report.text = table.str();
  return report;
}

// The removals are in force.  Only their files are not where they should be.
Error done_but_unwritten(const ForgetArguments& arguments, const RequestFile& file, const ListRun& run) {
  return {run.failure()->code,
          fmt::format("stopped after {} of {} requests, all of them in force and on disk: {}; 'unscatter certificate "
                      "--workspace {} "
                      "--id N --receipt FILE' writes the receipt of entry N",
                      run.done(), file.requests.size(), run.failure()->message, arguments.workspace.path)};
}

// Receipts of earlier runs that --receipts lacks: a run that was killed may have ended between an update and its line.
// Returns how many were written.
Result<std::size_t> write_missing_receipts(const std::string& path, const Workspace& workspace,
                                           const std::vector<std::size_t>& entries) {
  std::error_code missing;
  std::string text;
  // A pipe or a terminal has no lines that could be looked at.
  if (std::filesystem::is_regular_file(path, missing)) {
    UNSCATTER_TRY(found, read_small_file(path));
    text = std::move(found);
  }
  // A power cut may have left half a line.  It goes, because a file of receipts is read as a whole or not at all.
  const std::size_t whole = text.rfind('\n') + 1;
  if (whole != text.size()) {
    std::filesystem::resize_file(path, whole, missing);
    if (missing) return Error{ErrorCode::kIo, fmt::format("'{}' cannot be cut: {}", path, missing.message())};
  }
  std::unordered_set<std::string> there;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t end = text.find('\n', at);
    there.insert(text.substr(at, end - at));
    at = end + 1;
  }
  UNSCATTER_TRY(lines, LineFile::open(path, 0644));
  std::size_t written = 0;
  for (const std::size_t entry : entries) {
    UNSCATTER_TRY(receipt, workspace.receipt(entry));
    const std::string line = compact_receipt(receipt);
    if (there.contains(line)) continue;
    UNSCATTER_CHECK_OK(lines.append(line + '\n'));
    ++written;
  }
  return written;
}

// As one update, because what a later batch costs depends on what the earlier ones did.
Result<Report> preview_list(const ForgetArguments& arguments, const RequestFile& file, Context& context) {
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, arguments.key.record()));
  Result<Report> report = preview_removal(arguments, workspace, file.requests);
  if (report.ok()) return report;
  return at_line(arguments, file, std::move(report).error());
}

Result<RequestFile> read_list(const ForgetArguments& arguments) {
  ListReading how;
  if (arguments.list_format == "jsonl") how.format = ListFormat::kJsonLines;
  if (arguments.list_format == "csv") how.format = ListFormat::kCsv;
  how.keep = arguments.keep_fields;
  auto file = scan_request_file(arguments.what.requests, how);
  if (file.ok()) return file;
  if (file.error().code == ErrorCode::kNotFound)
    return Error{ErrorCode::kNotFound, fmt::format("there is no file '{}'", arguments.what.requests)};
  return in_quotes(std::move(file).error(), arguments.what.requests);
}

}  // namespace

Result<Report> forget_list(const ForgetArguments& arguments, Context& context) {
  if (arguments.batch == std::size_t{0})
    return Error{ErrorCode::kInvalidArgument, "--batch 0 makes no update; it is at least 1"};
  UNSCATTER_TRY(file, read_list(arguments));
  // A list that was half understood must not be begun, unless somebody says so.
  if (!file.wrong.empty() && (!arguments.skip_refused || file.requests.empty()))
    return refuse_wrong_lines(arguments, file);
  if (file.requests.empty())
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("'{}' holds no request; a list has one per line", arguments.what.requests)};
  if (arguments.dry_run) return preview_list(arguments, file, context);
  UNSCATTER_TRY(key, arguments.key.load());
  const std::size_t batch = arguments.batch.value_or(Workspace::ListOptions{}.batch);
  const std::size_t updates = (file.requests.size() + batch - 1) / batch;
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, arguments.key.record(), std::move(key), updates));
  // Stopped before it begins, a list only tells how far it came.  Nothing is changed.
  UNSCATTER_TRY(before, workspace.forget_list(file.requests, {.stop = [] { return true; }}));
  // Opened before the first update.  Receipts may be read by others, but openings say who asked.
  UNSCATTER_TRY(receipts, open_lines(arguments.receipts, 0644));
  UNSCATTER_TRY(openings, open_lines(arguments.openings, 0600));

  std::size_t receipts_written = 0;
  if (!arguments.receipts.empty() && !before.entries_before.empty()) {
    UNSCATTER_TRY(missing, write_missing_receipts(arguments.receipts, workspace, before.entries_before));
    receipts_written = missing;
  }

  // From here on Ctrl-C ends the list after the present update, and not the program in the middle of it.
  const InterruptWatch watch;
  ListRun run(file, before.done_before, context.progress(), std::move(receipts), std::move(openings));
  Workspace::ListOptions options;
  options.batch = batch;
  options.skip_refused = arguments.skip_refused;
  options.keep_salts = arguments.keep_salts;
  options.shred = arguments.shred;
  options.hand_out = run.hand_out();
  options.acknowledge = [&run](std::size_t done, const Forgotten& outcome) { run.acknowledge(done, outcome); };
  options.stop = [&run] { return run.stop(); };
  Stopwatch stopwatch;
  auto outcome = workspace.forget_list(file.requests, options);
  ListReport report;
  report.seconds = stopwatch.lap();
  context.progress().end();
  report.stages = workspace.stage_times();
  report.receipts_written = receipts_written;
  report.exposure = run.exposure();
  if (auto known = knowing_models(workspace); known.ok()) report.known = *std::move(known);
  if (outcome.ok()) {
    report.outcome = *std::move(outcome);
    if (run.failure()) report.failure = done_but_unwritten(arguments, file, run);
  } else {
    // An error gives no outcome.  The run itself has counted what was acknowledged.
    report.outcome.done_before = before.done_before;
    report.outcome.entries_before = before.entries_before;
    report.outcome.honoured = run.honoured();
    report.outcome.updates = run.updates();
    report.failure = at_line(arguments, file, std::move(outcome).error());
  }
  return report_list(arguments, file, report, workspace.info());
}

}  // namespace unscatter::cli
