#include "update.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/stopwatch.h"
#include "certificate_words.h"
#include "files.h"
#include "forget.h"
#include "removal_words.h"

namespace unscatter::cli {
namespace {

// An update as it was before commit(), which takes it away.
struct UpdateFigures {
  Certificate certificate;
  Exposure exposure;
  EditCounts edits;
  double open_seconds = 0;
  double seconds = 0;
};

Json corrected_json(const EditCounts& edits) {
  return {{"graphs_edited", edits.graphs_edited},
          {"graphs_added", edits.graphs_added},
          {"nodes_added", edits.nodes_added},
          {"edges_added", edits.edges_added},
          {"edges_dropped", edits.edges},
          {"features_corrected", edits.features_corrected},
          {"classes_corrected", edits.labels_corrected}};
}

// Rows and fields that a dry run and an update have in common.
void describe_update(const UpdateArguments& arguments, EntryKind kind, const std::string& what,
                     const UpdateFigures& figures, Report& report, Table& table) {
  const bool adds = kind == EntryKind::kAdded;
  const std::string words = !what.empty() ? what
                            : adds        ? addition_words(figures.edits)
                                          : corrections_words(figures.edits);
  const Promise& promise = figures.certificate.promise;
  report.json["workspace"] = arguments.workspace.path;
  report.json["dry_run"] = arguments.dry_run;
  report.json["edits"] = corrected_json(figures.edits);
  report.json["graphs"] = figures.certificate.graphs;
  report.json["certificate"] = certificate_json(figures.certificate);
  report.json["exposure"] = exposure_json(figures.exposure);
  report.json["open_seconds"] = figures.open_seconds;
  report.json["seconds"] = figures.seconds;
  const char* verb =
      adds ? (arguments.dry_run ? "would add" : "added") : (arguments.dry_run ? "would correct" : "corrected");
  table.add_row({verb, words});
  table.add_row({"graphs", adds ? fmt::format("{} come, {} then", grouped(figures.edits.graphs_added),
                                              grouped(figures.certificate.graphs))
                                : fmt::format("{} edited, {} in all", grouped(figures.edits.graphs_edited),
                                              grouped(figures.certificate.graphs))});
  add_certificate_rows(table, figures.certificate);
  table.add_row({"exposure", adds ? addition_exposure_words(figures.exposure, promise)
                                  : "the old value: " + exposure_words(figures.exposure, promise)});
}

Report report_update(const UpdateArguments& arguments, EntryKind kind, const std::string& what,
                     const UpdateFigures& figures, const Forgotten& outcome) {
  Report report;
  Table table({{""}, {""}});
  describe_update(arguments, kind, what, figures, report, table);
  const LedgerRecord& entry = outcome.entry;
  const std::string hash = outcome.receipt.entry.hex();
  report.json["entry"] = entry.sequence;
  report.json["hash"] = hash;
  report.json["time"] = entry.time;
  report.json["requests"] = counts_json(entry.requests);
  report.json["receipt"] = Json::parse(receipt_text(outcome.receipt));
  if (!arguments.receipt.empty()) report.json["receipt_path"] = arguments.receipt;
  if (!arguments.openings.empty()) report.json["openings_path"] = arguments.openings;
  table.add_row({"ledger", fmt::format("entry {}, hash {}", entry.sequence, hash)});
  table.add_row({"receipt", receipt_words(arguments.receipt, arguments.workspace.path, entry.sequence)});
  table.add_row({"time", fmt::format("{:.1f} ms, after {:.1f} ms to open the workspace", 1000 * figures.seconds,
                                     1000 * figures.open_seconds)});
  report.text = table.str();
  report.stands = fmt::format("the update is in force, as ledger entry {}", entry.sequence);
  return report;
}

UpdateFigures figures_of(const Workspace::Removal& update) {
  return {update.certificate(), update.exposure(), update.edits_together()};
}

}  // namespace

void UpdateArguments::add_to(CLI::App& command) {
  workspace.add_to(command);
  key.add_to(command);
  command.add_flag("--dry-run", dry_run, "Say what it would change and cost; change nothing");
  command.add_option("--receipt", receipt, "Write the signed receipt here");
  command.add_option(
      "--openings", openings,
      "Append what was asked and its salt, a line each: with it somebody can show what the entry is about");
  command.add_flag("--keep-salts", keep_salts,
                   "Keep the salts in the workspace: whoever holds the file can then check a guess of what was asked");
}

std::string addition_words(const EditCounts& edits) {
  return fmt::format("{} with {} and {}", counted(edits.graphs_added, "graph", "graphs"),
                     counted(edits.nodes_added, "node", "nodes"), counted(edits.edges_added, "edge", "edges"));
}

std::string corrections_words(const EditCounts& edits) {
  std::string words;
  const auto add = [&words](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) words += (words.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(edits.features_corrected, "node's features", "nodes' features");
  add(edits.edges_added, "edge added", "edges added");
  add(edits.edges, "edge dropped", "edges dropped");
  add(edits.labels_corrected, "class", "classes");
  return fmt::format("{}, in {}", words.empty() ? "nothing" : words, counted(edits.graphs_edited, "graph", "graphs"));
}

std::string addition_exposure_words(const Exposure& exposure, const Promise& promise) {
  if (promise.mechanism == Mechanism::kObjective) {
    return "whoever gets models from before and after can tell: they share their noise";
  }
  const double guess = best_guess(exposure);
  // Not 1.00: nobody is ever certain, and a rounded number should not say so.
  return fmt::format(
      "whoever knows all other data can tell from the next published model that they came, right with "
      "probability {} (blind guess: 0.5)",
      guess > 0.995 ? "more than 0.99" : fmt::format("{:.2f}", guess));
}

Result<Report> run_update(const UpdateArguments& arguments, Context& context, EntryKind kind, const std::string& what,
                          const std::function<Result<Workspace::Removal>(Workspace&)>& prepare) {
  Stopwatch watch;
  // Without the key: a preview signs nothing.
  if (arguments.dry_run) {
    UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, arguments.key.record()));
    const double open_seconds = watch.lap();
    UNSCATTER_TRY(update, prepare(workspace));
    UpdateFigures figures = figures_of(update);
    figures.open_seconds = open_seconds;
    figures.seconds = watch.lap();
    Report report;
    Table table({{""}, {""}});
    describe_update(arguments, kind, what, figures, report, table);
    report.text = table.str() + "Nothing was changed.\n";
    return report;
  }
  if (!arguments.receipt.empty())
    UNSCATTER_CHECK_OK(check_free(arguments.receipt, false, "name another file for the receipt"));
  UNSCATTER_TRY(key, arguments.key.load());
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, arguments.key.record(), std::move(key)));
  const double open_seconds = watch.lap();
  // Prepared before files are touched: a refused update leaves nothing behind.
  UNSCATTER_TRY(update, prepare(workspace));
  UpdateFigures figures = figures_of(update);
  figures.open_seconds = open_seconds;
  figures.seconds = watch.lap();
  UNSCATTER_TRY(openings, open_lines(arguments.openings, 0600));
  UNSCATTER_TRY(receipt, open_receipt(arguments.receipt, figures.edits.graphs_added + update.edits().size()));
  watch.lap();
  UNSCATTER_TRY(outcome, update.commit({.keep_salts = arguments.keep_salts, .hand_out = hand_out_to(openings)}));
  figures.seconds += watch.lap();
  Report report = report_update(arguments, kind, what, figures, outcome);
  const Status written = receipt ? receipt->write(receipt_text(outcome.receipt)) : ok_status();
  if (!written.ok()) {
    report.refusal =
        Error{written.error().code,
              fmt::format("{}, but {}; 'unscatter certificate --workspace {} --id {} --receipt FILE' "
                          "writes its receipt",
                          report.stands, written.error().message, arguments.workspace.path, outcome.entry.sequence)};
    report.json.erase("receipt_path");
  }
  return report;
}

}  // namespace unscatter::cli
