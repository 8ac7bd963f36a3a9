#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "commands.h"
#include "key_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct UpgradeArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  bool dry_run = false;
};

Result<Report> upgrade_format(const UpgradeArguments& arguments, Context& context) {
  // A file that is up to date needs no key.
  UNSCATTER_TRY(key, arguments.key.load_if_there());
  const WorkspaceOptions how = arguments.workspace.options(context, arguments.key.record(), std::move(key));
  UNSCATTER_TRY(done,
                arguments.workspace.with_wait(upgrade_workspace(arguments.workspace.path, how, arguments.dry_run)));
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"from", done.from},
                 {"to", done.to},
                 {"upgraded", done.done},
                 {"dry_run", arguments.dry_run},
                 {"entries", done.entries},
                 {"hash", done.head.hex()}};
  if (done.from == done.to) {
    report.text =
        fmt::format("{} has format {}, the present one.  There is nothing to do.\n", arguments.workspace.path, done.to);
    return report;
  }
  if (!done.done) {
    report.text = fmt::format("{} would be brought from format {} to format {}.  Nothing was written.\n",
                              arguments.workspace.path, done.from, done.to);
    return report;
  }
  report.stands = fmt::format("the workspace has format {}, as ledger entry {} says", done.to, done.entries - 1);
  report.text = fmt::format("{} was brought from format {} to format {}.\nThe ledger says so: entry {}, hash {}\n",
                            arguments.workspace.path, done.from, done.to, done.entries - 1, done.head.hex());
  if (done.outdated) context.note(done.outdated->message);
  return report;
}

}  // namespace

void add_upgrade_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("upgrade", "Bring a workspace of an older format to the present one");
  const auto arguments = std::make_shared<UpgradeArguments>();
  arguments->workspace.add_to(command);
  arguments->key.add_to(command);
  command.add_flag("--dry-run", arguments->dry_run, "Check that it can be done, and change nothing");
  command.footer(R"(
Examples:
  unscatter backup --workspace old.unscatter --to before.unscatter
  unscatter upgrade --workspace old.unscatter --dry-run
  unscatter upgrade --workspace old.unscatter

Every command that opens a workspace with its key does the same on its way.  Old entries and receipts stay as they are,
byte for byte, and one signed entry says what was done.  An older program cannot open the file afterwards.)");
  context.add_action(command, [arguments, &context] { return upgrade_format(*arguments, context); });
}

}  // namespace unscatter::cli
