#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/stopwatch.h"
#include "certificate_words.h"
#include "commands.h"
#include "files.h"
#include "forget.h"
#include "removal_words.h"
#include "unscatter/store/request_text.h"

namespace unscatter::cli {
namespace {

// Options of a list, given where there is none.  Passing over them would let somebody believe in them.
Status check_no_list(const ForgetArguments& arguments) {
  const char* option = nullptr;
  if (arguments.skip_refused) option = "--skip-refused";
  if (arguments.batch) option = "--batch";
  if (arguments.list_format != "auto") option = "--list-format";
  if (!arguments.keep_fields.empty()) option = "--keep-fields";
  if (option == nullptr) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("{} goes with --requests, a list", option)};
}

// Before the workspace is opened: a command that makes no sense should not wait for a lock.
Status check_forget_usage(const ForgetArguments& arguments) {
  const auto wrong = [](const char* sentence) { return Error{ErrorCode::kInvalidArgument, sentence}; };
  UNSCATTER_CHECK_OK(check_salts_usage(arguments));
  if (!arguments.replay.empty()) {
    const RequestArguments& what = arguments.what;
    const bool asks = what.is_list() || !what.graph.empty() || !what.subject.empty() || what.features_only;
    if (asks || arguments.dry_run) return wrong("--replay repeats what was asked before; it goes with no request");
    if (!arguments.receipts.empty()) return wrong("--receipts goes with --requests; --replay has --receipt");
    return check_no_list(arguments);
  }
  UNSCATTER_CHECK_OK(arguments.what.check());
  if (arguments.what.is_list()) {
    if (!arguments.receipt.empty()) return wrong("--receipt goes with one request; a list has --receipts");
    if (!arguments.keep_fields.empty() && arguments.openings.empty())
      return wrong("--keep-fields writes fields into the lines of --openings; give --openings FILE too");
    return ok_status();
  }
  if (!arguments.receipts.empty()) return wrong("--receipts goes with --requests; one request has --receipt");
  return check_no_list(arguments);
}

std::string salts_words(const ForgetArguments& arguments) {
  std::string words;
  if (!arguments.openings.empty())
    words = fmt::format(
        "in {}; whoever has it can show what was forgotten, and 'forget --replay' needs it after a "
        "backup was restored",
        arguments.openings);
  if (arguments.keep_salts) words += fmt::format("{}kept in the workspace", words.empty() ? "" : "; ");
  return words.empty() ? "not kept: nobody can show what the entry was about (--openings FILE hands them out)" : words;
}

Report report_removal(const ForgetArguments& arguments, const std::string& what, const Forgotten& outcome,
                      const KnowingModels& known, const RemovalTimes& times) {
  const LedgerRecord& entry = outcome.entry;
  const std::string hash = outcome.receipt.entry.hex();
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"dry_run", false},
                 {"entry", entry.sequence},
                 {"hash", hash},
                 {"time", entry.time},
                 {"requests", counts_json(entry.requests)},
                 {"graphs_edited", entry.graphs_edited},
                 {"graphs_removed", entry.graphs_removed},
                 {"shredded", arguments.shred},
                 {"certificate", certificate_json(outcome.certificate)},
                 {"exposure", exposure_json(outcome.exposure)},
                 {"known_to", known.json(outcome.exposure)},
                 {"receipt", Json::parse(receipt_text(outcome.receipt))},
                 {"open_seconds", times.open},
                 {"seconds", times.forget}};
  if (!arguments.receipt.empty()) report.json["receipt_path"] = arguments.receipt;
  if (!arguments.openings.empty()) report.json["openings_path"] = arguments.openings;

  Table table({{""}, {""}});
  table.add_row({"forgotten", what});
  table.add_row({"graphs", graphs_words(entry.graphs_edited, entry.graphs_removed, entry.graphs)});
  add_certificate_rows(table, outcome.certificate);
  table.add_row({"exposure", exposure_words(outcome.exposure, outcome.certificate.promise)});
  known.add_rows(table, outcome.exposure, outcome.certificate.promise);
  table.add_row({"ledger", fmt::format("entry {}, hash {}", entry.sequence, hash)});
  table.add_row({"receipt", receipt_words(arguments.receipt, arguments.workspace.path, entry.sequence)});
  table.add_row({"salts", salts_words(arguments)});
  table.add_row({"time", fmt::format("{:.1f} ms, after {:.1f} ms to open the workspace", 1000 * times.forget,
                                     1000 * times.open)});
  report.text = table.str();
  return report;
}

// Something that was forgotten earlier has nothing left but salts.
Result<Report> shred_salts(const ForgetArguments& arguments, Workspace& workspace, const RemovalRequest& request,
                           const Error& why) {
  UNSCATTER_TRY(salts, workspace.shred(request));
  // There was nothing to destroy, so the refusal of the request is the answer.
  if (salts == 0) return why;
  Report report;
  report.json = {
      {"workspace", arguments.workspace.path}, {"dry_run", false}, {"entry", nullptr}, {"salts_destroyed", salts}};
  report.text = fmt::format(
      "{}: forgotten earlier already.  {} {} destroyed: nobody can show any more what the ledger's {} about.\n",
      describe(request), salts, salts == 1 ? "salt was" : "salts were",
      salts == 1 ? "commitment is" : "commitments are");
  return report;
}

// The removal is in force.  Only its receipt is not where it should be.  A message like that of a failed removal would
// make people ask for it again, and be refused.  So there is a report with the entry, and what to do.
Result<Report> write_receipt_and_report(const ForgetArguments& arguments, std::optional<OutputFile> receipt,
                                        const std::string& what, const Forgotten& outcome, const Workspace& workspace,
                                        const RemovalTimes& times) {
  Status written = ok_status();
  if (receipt) written = receipt->write(receipt_text(outcome.receipt));
  const std::size_t entry = outcome.receipt.sequence;
  const Result<KnowingModels> known = knowing_models(workspace);
  if (written.ok() && !known.ok()) written = known.error();
  Report report = report_removal(arguments, what, outcome, known.ok() ? *known : KnowingModels({}), times);
  report.stands = fmt::format("the removal is in force, as ledger entry {}", entry);
  if (written.ok()) return report;
  report.refusal = Error{written.error().code,
                         fmt::format("{}, but {}; 'unscatter certificate --workspace {} --id {} --receipt FILE' writes "
                                     "its receipt",
                                     report.stands, written.error().message, arguments.workspace.path, entry)};
  report.json.erase("receipt_path");
  return report;
}

// A copy that was restored from a backup is brought up to date.
Result<Report> replay_openings(const ForgetArguments& arguments, Context& context) {
  if (!arguments.receipt.empty())
    UNSCATTER_CHECK_OK(check_free(arguments.receipt, false, "name another file for the receipt"));
  UNSCATTER_TRY(known, read_openings(arguments.replay));
  UNSCATTER_TRY(key, arguments.key.load());
  RemovalTimes times;
  Stopwatch watch;
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, arguments.key.record(), std::move(key)));
  UNSCATTER_CHECK_OK(workspace.session());
  times.open = watch.lap();
  UNSCATTER_TRY(openings, open_lines(arguments.openings, 0600));
  UNSCATTER_TRY(receipt, open_receipt(arguments.receipt, known.size()));
  ForgetOptions options{
      .keep_salts = arguments.keep_salts, .shred = arguments.shred, .hand_out = hand_out_to(openings)};
  UNSCATTER_TRY(outcome, workspace.replay(known, options));
  times.forget = watch.lap();
  const std::string what =
      fmt::format("again: {}, after entry {}", counts_words(outcome.entry.requests), outcome.entry.sequence - 1);
  return write_receipt_and_report(arguments, std::move(receipt), what, outcome, workspace, times);
}

Result<Report> forget_one(const ForgetArguments& arguments, Context& context) {
  UNSCATTER_TRY(request, arguments.what.request());
  // Without the key: a preview signs nothing.
  if (arguments.dry_run) {
    UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, arguments.key.record()));
    return preview_removal(arguments, workspace, std::span(&request, 1));
  }
  // A receipt that is there may be the only proof that somebody has.  It is never replaced.
  if (!arguments.receipt.empty())
    UNSCATTER_CHECK_OK(check_free(arguments.receipt, false, "name another file for the receipt"));
  UNSCATTER_TRY(key, arguments.key.load());
  RemovalTimes times;
  Stopwatch watch;
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, arguments.key.record(), std::move(key), 1));
  times.open = watch.lap();
  // Prepared before files are touched: a refused request leaves nothing behind.
  auto removal = workspace.prepare(std::span(&request, 1));
  if (!removal.ok()) {
    const bool refused = removal.error().request.has_value();
    // Only a refused request: other errors say nothing about what was forgotten earlier.
    if (refused && arguments.shred) return shred_salts(arguments, workspace, request, removal.error());
    return std::move(removal).error();
  }
  times.forget = watch.lap();
  return commit_and_report(arguments, workspace, *removal, describe(request), times);
}

}  // namespace

std::string receipt_words(const std::string& written_to, const std::string& workspace, std::size_t entry) {
  if (!written_to.empty()) return written_to;
  return fmt::format("in the workspace; 'unscatter certificate --workspace {} --id {} --receipt FILE' writes it",
                     workspace, entry);
}

Status check_salts_usage(const ForgetArguments& arguments) {
  const auto wrong = [](const char* sentence) { return Error{ErrorCode::kInvalidArgument, sentence}; };
  if (arguments.shred && !arguments.openings.empty())
    return wrong("--openings keeps the salts that --shred is to destroy");
  if (arguments.shred && arguments.keep_salts) return wrong("--keep-salts keeps the salts that --shred is to destroy");
  return ok_status();
}

Result<Report> commit_and_report(const ForgetArguments& arguments, Workspace& workspace, Workspace::Removal& removal,
                                 const std::string& what, RemovalTimes times) {
  // Opened before the commit, so that a wrong path stops the removal and not its record.  0600: request and salt
  // together say who asked.
  UNSCATTER_TRY(openings, open_lines(arguments.openings, 0600));
  UNSCATTER_TRY(receipt, open_receipt(arguments.receipt, removal.requests().size()));
  // The files are not part of the removal's time.
  Stopwatch watch;
  UNSCATTER_TRY(outcome,
                removal.commit(
                    {.keep_salts = arguments.keep_salts, .shred = arguments.shred, .hand_out = hand_out_to(openings)}));
  times.forget += watch.lap();
  return write_receipt_and_report(arguments, std::move(receipt), what, outcome, workspace, times);
}

Result<Report> preview_removal(const ForgetArguments& arguments, Workspace& workspace,
                               std::span<const RemovalRequest> requests) {
  Stopwatch watch;
  UNSCATTER_TRY(removal, workspace.prepare(requests));
  return report_preview(arguments, workspace, removal, watch.lap());
}

Result<Report> report_preview(const ForgetArguments& arguments, Workspace& workspace, const Workspace::Removal& removal,
                              double seconds) {
  constexpr std::size_t kListedRequests = 20;
  const std::vector<RemovalRequest>& requests = removal.requests();
  const std::size_t graphs = workspace.info().graphs;
  const Certificate& certificate = removal.certificate();
  const Exposure& exposure = removal.exposure();
  const EditCounts& edits = removal.edits_together();
  UNSCATTER_TRY(known, knowing_models(workspace));
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"dry_run", true},
                 {"requests", requests.size()},
                 {"graphs_edited", edits.graphs_edited},
                 {"graphs_removed", graphs - certificate.graphs},
                 {"edits", edits_json(edits)},
                 {"edits_per_request", Json::array()},
                 {"certificate", certificate_json(certificate)},
                 {"exposure", exposure_json(exposure)},
                 {"known_to", known.json(exposure)},
                 {"seconds", seconds}};
  for (const EditCounts& one : removal.edits()) report.json["edits_per_request"].push_back(edits_json(one));
  Table table({{""}, {""}});
  table.add_row({"would forget", requests.size() == 1
                                     ? describe(requests.front())
                                     : fmt::format("{} requests, in one update", grouped(requests.size()))});
  table.add_row({"graphs", fmt::format("{} would be edited, {} would be removed, {} left", grouped(edits.graphs_edited),
                                       grouped(edits.graphs_removed), grouped(certificate.graphs))});
  table.add_row({"takes out", edits_words(edits)});
  // One request is the sum already.
  const std::size_t listed = requests.size() == 1 ? 0 : std::min(requests.size(), kListedRequests);
  for (std::size_t i = 0; i < listed; ++i) {
    table.add_row(
        {i == 0 ? "one by one" : "", fmt::format("{}: {}", describe(requests[i]), edits_words(removal.edits()[i]))});
  }
  if (listed > 0 && listed < requests.size()) {
    table.add_row({"", fmt::format("and {} more; --json tells all", grouped(requests.size() - listed))});
  }
  add_certificate_rows(table, certificate);
  table.add_row({"exposure", exposure_words(exposure, certificate.promise)});
  known.add_rows(table, exposure, certificate.promise);
  table.add_row({"time", fmt::format("{:.1f} ms, and what the file takes", 1000 * seconds)});
  report.text = table.str() + "Nothing was changed.\n";
  return report;
}

std::string opening_lines(const Forgotten& outcome, const std::function<std::string(std::size_t)>& kept) {
  std::string lines;
  // A shredded removal has no salts, and so no line.
  for (std::size_t i = 0; i < outcome.salts.size(); ++i) {
    if (!outcome.asked.empty()) {  // an addition or corrections
      lines +=
          opening_text(outcome.receipt.sequence, outcome.receipt.commitments[i], outcome.asked[i], outcome.salts[i]) +
          '\n';
      continue;
    }
    const Opening opening{outcome.receipt.sequence, outcome.receipt.commitments[i], outcome.requests[i],
                          outcome.salts[i]};
    lines += opening_text(opening, kept ? kept(i) : "") + '\n';
  }
  return lines;
}

std::function<Status(const Forgotten&)> hand_out_to(std::optional<LineFile>& openings) {
  if (!openings) return nullptr;
  return [&openings](const Forgotten& outcome) { return openings->append(opening_lines(outcome)); };
}

Result<std::optional<OutputFile>> open_receipt(const std::string& path, std::size_t requests) {
  // A receipt takes about two kilobytes, and a line more for each request.
  constexpr std::size_t kReceiptRoom = 16384;
  constexpr std::size_t kReceiptRoomPerRequest = 128;
  if (path.empty()) return std::optional<OutputFile>();
  UNSCATTER_TRY(file, OutputFile::open(path, kReceiptRoom + kReceiptRoomPerRequest * requests));
  return std::optional(std::move(file));
}

Result<std::optional<LineFile>> open_lines(const std::string& path, mode_t mode) {
  if (path.empty()) return std::optional<LineFile>();
  UNSCATTER_TRY(file, LineFile::open(path, mode));
  return std::optional(std::move(file));
}

void add_removal_options(CLI::App& command, ForgetArguments& arguments) {
  command.add_flag("--dry-run", arguments.dry_run, "Say what it would change and cost; change nothing");
  command.add_flag(
      "--keep-salts", arguments.keep_salts,
      "Keep the salts in the workspace: whoever holds the file can then check a guess of who was forgotten");
  command.add_flag("--shred", arguments.shred,
                   "Neither keep nor hand out a salt, and destroy what --keep-salts kept of the same request");
  command.add_option("--receipt", arguments.receipt, "Write the signed receipt of one request here");
  command.add_option(
      "--openings", arguments.openings,
      "Append request and salt, a line each: with it somebody can show that a commitment is about this request");
}

void add_forget_command(CLI::App& parent, Context& context) {
  CLI::App& command =
      *parent.add_subcommand("forget", "Remove data from a workspace and its model, with a certificate");
  const auto arguments = std::make_shared<ForgetArguments>();
  arguments->workspace.add_to(command);
  arguments->key.add_to(command);
  arguments->what.add_to(command);
  add_removal_options(command, *arguments);
  command.add_option("--replay", arguments->replay,
                     "Bring a restored backup up to date: honour again what this file of openings tells");
  command.add_option("--batch", arguments->batch, "With --requests: requests per update, at least 1")
      ->default_str(fmt::format("{}", Workspace::ListOptions{}.batch));
  command.add_flag("--skip-refused", arguments->skip_refused,
                   "With --requests: pass over lines that are wrong and requests that are refused, and name them");
  command.add_option("--receipts", arguments->receipts, "With --requests: append each update's receipt, a line each");
  command.add_option("--list-format", arguments->list_format, "With --requests: auto, jsonl or csv")
      ->check(CLI::IsMember({"auto", "jsonl", "csv"}))
      ->capture_default_str();
  command
      .add_option("--keep-fields", arguments->keep_fields,
                  "With --requests: keep these fields of your own, A,B, in the lines of --openings")
      ->delimiter(',');
  command.footer(R"(
Examples:
  unscatter forget --workspace w.unscatter --subject user-00042 --receipt receipt.json
  unscatter forget --workspace w.unscatter --graph 17 --node 3
  unscatter forget --workspace w.unscatter --graph group-0017 --node user-00042 --features-only
  unscatter forget --workspace w.unscatter --graph 17 --edge 3,5 --dry-run
  unscatter forget --workspace w.unscatter --graph group-0017
  unscatter forget --workspace w.unscatter --requests requests.jsonl --batch 100 --receipts receipts.jsonl
  unscatter forget --workspace w.unscatter --requests people.csv --skip-refused
  unscatter forget --workspace w.unscatter --requests list.jsonl --openings openings.jsonl --keep-fields ticket
  unscatter forget --workspace w.unscatter --subject user-00042 --openings openings.jsonl
  unscatter forget --workspace restored.unscatter --replay openings.jsonl --openings openings.jsonl

Digits are a number in the data set's own order, from 0; anything else is an external id; id:17 is the external id
"17".  A subject is always an external id.  When the command is done, the removal is on disk and the file holds nothing
of what was removed.  A list that was interrupted goes on where it stopped when it is given again, and writes the
receipts that --receipts lacks; --dry-run takes it as one update.
Salts are handed out (--openings) and not kept.  --shred for something that was forgotten earlier destroys the salts
that --keep-salts kept then.
A workspace that is older than the record beside the signing key is refused; --replay brings it up to date.
Lines of a list: {"forget": "node", "graph": 17, "node": "user-00042"}, {"forget": "features", ...},
{"forget": "edge", "graph": 17, "from": 3, "to": 5}, {"forget": "graph", "graph": 17},
{"forget": "subject", "id": "user-00042"}.  As CSV a list has a header line: forget,graph,node,from,to,id with the
columns that you need, or only id (also called subject).  Fields of your own, such as reason and ticket, are passed
over.  All wrong lines are reported at once, and then nothing is changed.  Lines that --openings wrote are requests
too.)");
  context.add_action(
      command,
      [arguments, &context] {
        if (!arguments->replay.empty()) return replay_openings(*arguments, context);
        return arguments->what.is_list() ? forget_list(*arguments, context) : forget_one(*arguments, context);
      },
      [arguments] { return check_forget_usage(*arguments); });
}

}  // namespace unscatter::cli
