#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certificate_words.h"
#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct CertificateArguments {
  WorkspaceArguments workspace;
  std::optional<std::size_t> id;
  std::string receipt;
  bool force = false;
  bool salts = false;
};

// Counts mean something else in a correction: `graphs` got another class.
std::string correction_counts_words(const RequestCounts& counts) {
  std::string words;
  const auto add = [&words](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) words += (words.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(counts.features, "node's features", "nodes' features");
  add(counts.edges, "edge", "edges");
  add(counts.graphs, "graph's class", "graphs' classes");
  return words;
}

std::string kind_words(const LedgerRecord& record) {
  switch (record.kind) {
    case EntryKind::kCreated:
      return fmt::format(
          "trained on {} graphs{}", grouped(record.graphs),
          record.continues ? fmt::format(", what was left after entry {} of another workspace", record.continues->hex())
                           : "");
    case EntryKind::kForgotten: return fmt::format("forgot {}", counts_words(record.requests));
    case EntryKind::kReleased: return fmt::format("published model {}", grouped(record.published));
    case EntryKind::kUpgraded: return "brought to format 2";
    case EntryKind::kReplayed:
      return fmt::format("brought an older copy up to date: forgot {}", counts_words(record.requests));
    case EntryKind::kRenewed:
      return fmt::format("began another count, after {}", counted(record.published, "model", "models"));
    case EntryKind::kAdded: return fmt::format("added {}", counted(record.graphs_added, "graph", "graphs"));
    case EntryKind::kCorrected: return fmt::format("corrected {}", correction_counts_words(record.requests));
  }
  return {};
}

Report report_entry(const LedgerRecord& record, const std::vector<std::string>& assumptions,
                    const std::string& receipt) {
  Report report;
  report.json = entry_json(record);
  report.json["assumptions"] = assumptions;
  if (!receipt.empty()) report.json["receipt_path"] = receipt;

  Table table({{""}, {""}});
  table.add_row({"entry", fmt::format("{} of workspace {}, {}", record.sequence, record.workspace, record.time)});
  table.add_row({"what", kind_words(record)});
  if (record.kind == EntryKind::kForgotten || record.kind == EntryKind::kReplayed) {
    table.add_row({"graphs", graphs_words(record.graphs_edited, record.graphs_removed, record.graphs)});
  }
  if (record.kind == EntryKind::kAdded || record.kind == EntryKind::kCorrected) {
    table.add_row({"graphs", fmt::format("{} edited, {} added, {} then", grouped(record.graphs_edited),
                                         grouped(record.graphs_added), grouped(record.graphs))});
  }
  add_certificate_rows(table, record);
  for (std::size_t i = 0; i < assumptions.size(); ++i) table.add_row({i == 0 ? "rests on" : "", assumptions[i]});
  table.add_row({"data after", record.data_after.hex()});
  table.add_row({"previous", record.previous.hex()});
  table.add_row({"hash", entry_hash(ledger_text(record)).hex()});
  if (!receipt.empty()) table.add_row({"receipt", receipt});
  report.text = table.str();
  return report;
}

// What opens the commitments, as far as it was kept.
void add_salts(Report& report, const LedgerRecord& record, const std::vector<Salt>& salts) {
  Table table({{""}, {""}});
  report.json["salts"] = Json::array();
  for (std::size_t i = 0; i < record.commitments.size(); ++i) {
    const bool kept = i < salts.size() && salts[i] != Salt{};
    report.json["salts"].push_back(kept ? Json(salts[i].hex()) : Json(nullptr));
    table.add_row({fmt::format("commitment {}", i + 1), record.commitments[i].hex()});
    table.add_row({"  its salt", kept ? salts[i].hex() : "not kept"});
  }
  report.text += table.str();
}

Result<Report> show_certificate(const CertificateArguments& arguments, Context& context) {
  if (!arguments.receipt.empty())
    UNSCATTER_CHECK_OK(check_free(arguments.receipt, arguments.force, "--force replaces it"));
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  const std::size_t id = arguments.id.value_or(workspace.info().entries - 1);
  UNSCATTER_TRY(record, workspace.entry(id));
  if (!arguments.receipt.empty()) {
    const Result<Receipt> receipt = workspace.receipt(id);
    if (!receipt.ok() && receipt.error().code == ErrorCode::kNotFound) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("entry {} ({}) has no receipt; --id names another", id, name(record.kind))};
    }
    UNSCATTER_CHECK_OK(receipt);
    UNSCATTER_CHECK_OK(replace_file(arguments.receipt, receipt_text(*receipt)));
  }
  Report report = report_entry(record, workspace.info().certificate.promise.assumptions, arguments.receipt);
  if (arguments.salts) {
    UNSCATTER_TRY(salts, workspace.salts(id));
    add_salts(report, record, salts);
  }
  return report;
}

}  // namespace

void add_certificate_command(CLI::App& parent, Context& context) {
  CLI::App& command =
      *parent.add_subcommand("certificate", "Show an entry of the ledger: what was done, what is promised");
  const auto arguments = std::make_shared<CertificateArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--id", arguments->id, "Number of the entry, from 0 (default: the last)");
  command.add_option("--receipt", arguments->receipt, "Write the receipt of this removal or release to a file");
  command.add_flag("--force", arguments->force, "Replace --receipt if it exists");
  command.add_flag("--salts", arguments->salts,
                   "Show the salts that were kept: with one, a request can be matched to a commitment");
  command.footer(R"(
Examples:
  unscatter certificate --workspace w.unscatter
  unscatter certificate --workspace w.unscatter --id 3 --json
  unscatter certificate --workspace w.unscatter --id 3 --receipt receipt.json

An entry says how much was removed, never what.  Its numbers stay inside the house; a receipt is what outsiders may
see.)");
  context.add_action(command, [arguments, &context] { return show_certificate(*arguments, context); });
}

}  // namespace unscatter::cli
