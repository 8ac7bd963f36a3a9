#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "certificate_words.h"
#include "commands.h"
#include "key_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct RenewArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  bool force = false;
};

Result<Report> renew_count(const RenewArguments& arguments, Context& context) {
  UNSCATTER_TRY(key, arguments.key.load());
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, arguments.key.record(), std::move(key)));
  const WorkspaceInfo before = workspace.info();
  const std::size_t left = before.options.releases - std::min(before.options.releases, before.published_in_count);
  // The count that ends is charged in full.  So models that it still has would be given away.
  if (left > 0 && !arguments.force && before.options.mechanism == Mechanism::kRelease) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the present count has {} left of {}; a new one makes the promise for all of them weaker, "
                             "so use them first (--force begins it now)",
                             counted(left, "model", "models"), grouped(before.options.releases))};
  }
  UNSCATTER_TRY(entry, workspace.renew());
  const WorkspaceInfo info = workspace.info();
  const Promise& promise = info.certificate.promise;
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"entry", entry.sequence},
                 {"hash", info.head.hex()},
                 {"published", info.published},
                 {"releases", info.options.releases},
                 {"certificate", certificate_json(info.certificate)}};
  Table table({{""}, {""}});
  table.add_row({"new count", fmt::format("{} more; published before: {}",
                                          counted(info.options.releases, "model", "models"), grouped(info.published))});
  table.add_row({"promise", guarantee_words(promise)});
  add_earlier_rows(table, promise);
  add_embedding_rows(table, promise);
  table.add_row({"ledger", fmt::format("entry {}, hash {}", entry.sequence, info.head.hex())});
  report.text = table.str() + "Model and graphs are as they were.  The next release publishes another model.\n";
  return report;
}

}  // namespace

void add_renew_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("renew", "Begin another count of published models, when they run out");
  const auto arguments = std::make_shared<RenewArguments>();
  arguments->workspace.add_to(command);
  arguments->key.add_to(command);
  command.add_flag("--force", arguments->force, "Even if the present count has models left");
  command.footer(R"(
Examples:
  unscatter renew --workspace w.unscatter

Nothing is trained, and nothing that was forgotten comes back.  Models that are published stay published: the shifts of
all counts add up as the root of the sum of their squares, and every certificate, receipt and model says from then on
what is promised for all of them together.  A count is charged in full, whether or not all of its models were used.)");
  context.add_action(command, [arguments, &context] { return renew_count(*arguments, context); });
}

}  // namespace unscatter::cli
