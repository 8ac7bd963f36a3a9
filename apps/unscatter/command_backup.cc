#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct BackupArguments {
  WorkspaceArguments workspace;
  std::string to;
  bool force = false;
};

Result<Report> back_up(const BackupArguments& arguments, Context& context) {
  UNSCATTER_CHECK_OK(check_free(arguments.to, arguments.force, "--force replaces it, if it is a workspace"));
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  UNSCATTER_TRY(backup, workspace.backup(arguments.to, {.replace = arguments.force}));
  const WorkspaceInfo info = workspace.info();
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"id", info.id},
                 {"to", arguments.to},
                 {"bytes", backup.bytes},
                 {"entries", backup.entries},
                 {"hash", backup.head.hex()},
                 {"time", backup.time}};
  Table table({{""}, {""}});
  table.add_row({"written", fmt::format("{}: {} bytes, for its owner only", arguments.to, grouped(backup.bytes))});
  table.add_row(
      {"ledger", fmt::format("{}; the last one is of {}", counted(backup.entries, "entry", "entries"), backup.time)});
  table.add_row({"head", backup.head.hex()});
  report.text =
      table.str() +
      "The copy is as old as this head.  Data that is removed from now on is still in it: delete it then, or\n"
      "bring it up to date with 'unscatter forget --replay' before it is used.\n";
  report.stands = fmt::format("the copy '{}' is written", arguments.to);
  return report;
}

}  // namespace

void add_backup_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("backup", "Write a copy of a workspace, complete and without old data");
  const auto arguments = std::make_shared<BackupArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--to", arguments->to, "Where the copy goes, a file or, of a sharded workspace, a folder")
      ->required();
  command.add_flag("--force", arguments->force, "Replace --to if it is a workspace");
  command.footer(R"(
Examples:
  unscatter backup --workspace w.unscatter --to /backup/w.unscatter
  unscatter verify --workspace /backup/w.unscatter --expect-head 8b70...81

The workspace may be in use: the copy is of one moment, and is there as a whole or not at all.  It is read again before
it gets its name.  It holds no page that nothing uses, and nothing that was removed.  A copy that is put back is older
than the record beside the signing key.  It takes no removal until 'unscatter forget --replay' has repeated those that
came after it.)");
  context.add_action(command, [arguments, &context] { return back_up(*arguments, context); });
}

}  // namespace unscatter::cli
