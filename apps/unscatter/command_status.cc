#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "base/utc_time.h"
#include "certificate_words.h"
#include "commands.h"
#include "expiry_options.h"
#include "key_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct StatusArguments {
  WorkspaceArguments workspace;
  bool replay_digest = false;
};

Json options_json(const SessionOptions& options) {
  return {{"loss", options.loss.describe()},
          {"lambda", options.regularisation},
          {"bias", options.bias},
          {"optimizer", name(options.optimizer)},
          {"mechanism", name(options.mechanism)},
          {"epsilon", options.guarantee.epsilon},
          {"delta", options.guarantee.delta},
          {"noise_stddev", options.noise_stddev},
          {"releases", options.releases},
          {"distance_limit", options.distance_limit ? Json(*options.distance_limit) : Json(nullptr)},
          // The former name, for one more version.
          {"precision", options.distance_limit ? Json(*options.distance_limit) : Json(nullptr)},
          {"bound", name(options.bound)},
          {"rule", name(options.rule)},
          {"removal", name(options.removal)},
          {"protection", name(options.protection)},
          {"per_subject", options.per_subject},
          {"ridge", options.ridge ? Json(*options.ridge) : Json(nullptr)}};
}

// "3 fast, 0 exact, 1 newton, 0 retrain"
std::string rungs_words(const RungCounts& rungs) {
  std::string words;
  for (const auto& [rung, text] : kRungs) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", grouped(rungs[rung]), text);
  }
  return words;
}

// Whom published models protect.
std::string protection_words(const SessionOptions& options) {
  if (options.protection == Protection::kRemoved) return "removed: those who were removed, in models published later";
  return options.per_subject == 0
             ? std::string("everyone: every graph is a subject")
             : fmt::format("everyone: every subject, in at most {}", counted(options.per_subject, "graph", "graphs"));
}

// "3 dates; 1 overdue since 2026-10-01, and 'unscatter expire' forgets it; next: graph 12, on 2027-03-01"
std::string due_status_words(const DueSummary& due) {
  if (due.dates == 0) return "nothing has a due date";
  std::string words = counted(due.dates, "date", "dates");
  if (due.overdue > 0) {
    words += fmt::format("; {} overdue, the oldest since {}: 'unscatter expire' forgets what is due",
                         grouped(due.overdue), short_utc_text(due.oldest.value_or(0)));
  }
  if (due.next) words += fmt::format("; next: {}, on {}", describe(due.next->what), short_utc_text(due.next->due));
  return words;
}

Json due_status_json(const DueSummary& due) {
  return {{"dates", due.dates},
          {"overdue", due.overdue},
          {"oldest", date_json(due.oldest)},
          {"next", due.next ? due_json(due.next->what, due.next->due) : Json(nullptr)}};
}

Report report_status(const StatusArguments& arguments, const Workspace& workspace, const DueSummary& due,
                     std::uintmax_t bytes) {
  const WorkspaceInfo& info = workspace.info();
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"id", info.id},
                 {"data", info.name},
                 {"created", info.created},
                 {"format", info.format},
                 {"bytes", bytes},
                 {"signer", info.signer.hex()},
                 {"classes", info.class_names},
                 {"features", info.features},
                 {"transform", workspace.embedder().describe()},
                 {"coordinates", workspace.embedder().width() + (info.options.bias ? 1 : 0)},
                 {"options", options_json(info.options)},
                 {"graphs_at_creation", info.slots},
                 {"graphs", info.graphs},
                 {"entries", info.entries},
                 {"hash", info.head.hex()},
                 {"updates", info.updates},
                 {"rungs", counts_by_name<Json>(info.rungs)},
                 {"published", info.published},
                 {"published_in_count", info.published_in_count},
                 {"due", due_status_json(due)},
                 {"outdated", info.outdated.has_value()},
                 {"certificate", certificate_json(info.certificate)}};

  Table table({{""}, {""}});
  table.add_row({"workspace", fmt::format("{} ({}), made {}", arguments.workspace.path, info.id, info.created)});
  table.add_row({"graphs", fmt::format("{} of {} left, of {}, {} classes", grouped(info.graphs), grouped(info.slots),
                                       info.name, info.class_names.size())});
  table.add_row({"embedding", workspace.embedder().describe()});
  table.add_row(
      {"removals", fmt::format("{}: {}", counted(info.updates, "update", "updates"), rungs_words(info.rungs))});
  table.add_row({"published", info.options.mechanism == Mechanism::kRelease
                                  ? fmt::format("{} of the {} models that the guarantee covers together",
                                                grouped(info.published_in_count), grouped(info.options.releases))
                                  : counted(info.published, "model", "models")});
  table.add_row({"due", due_status_words(due)});
  table.add_row({"protects", protection_words(info.options)});
  table.add_row(
      {"learning", fmt::format("{} loss, {}", info.options.loss.describe(),
                               info.options.ridge
                                   ? fmt::format("ridge {}", *info.options.ridge)
                                   : fmt::format("lambda {} (ridge {:.4g} with {} graphs)", info.options.regularisation,
                                                 ridge_of(info.options, info.graphs), grouped(info.graphs)))});
  add_certificate_rows(table, info.certificate);
  table.add_row(
      {"ledger", fmt::format("{}, last hash {}", counted(info.entries, "entry", "entries"), info.head.hex())});
  table.add_row({"signed by", info.signer.hex()});
  table.add_row({"file", fmt::format("{} bytes, format {}", grouped(bytes), info.format)});
  if (info.shards > 0) {
    table.add_row({"shards", fmt::format("{} of {} slots", info.shards, grouped(info.slots_per_shard))});
    report.json["shards"] = info.shards;
    report.json["slots_per_shard"] = info.slots_per_shard;
  }
  if (info.outdated) table.add_row({"outdated", info.outdated->message});
  report.text = table.str();
  return report;
}

// Of the file, or of all files of a sharded workspace.
std::uintmax_t bytes_on_disk(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return unknown ? 0 : bytes;
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, unknown)) {
    const std::uintmax_t size = entry.file_size(unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

Result<Report> show_status(const StatusArguments& arguments, Context& context) {
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  const std::uintmax_t bytes = bytes_on_disk(arguments.workspace.path);
  UNSCATTER_TRY(due, workspace.due_summary(seconds_now()));
  Report report = report_status(arguments, workspace, due, bytes);
  if (arguments.replay_digest) {
    UNSCATTER_TRY(replay, workspace.replay_digest());
    UNSCATTER_TRY(state, workspace.state_digest());
    report.json["replay_digest"] = replay.hex();
    report.json["state_digest"] = state.hex();
    report.text += fmt::format(
        "replay digest {}\nstate digest  {}\nKeep both private: whoever has one can check a guess of the data.\n",
        replay.hex(), state.hex());
  }
  return report;
}

}  // namespace

void add_status_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("status", "What a workspace holds, and what holds for it");
  const auto arguments = std::make_shared<StatusArguments>();
  arguments->workspace.add_to(command);
  command.add_flag("--replay-digest", arguments->replay_digest,
                   "Also the digest that the same requests on the same data give everywhere, and that of the kept "
                   "weights (reads all graphs); keep both private, they have no salt");
  command.footer(R"(
Examples:
  unscatter status --workspace w.unscatter
  unscatter status --workspace w.unscatter --replay-digest --json)");
  context.add_action(command, [arguments, &context] { return show_status(*arguments, context); });
}

}  // namespace unscatter::cli
