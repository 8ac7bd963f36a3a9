#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

Result<Report> compact_file(const WorkspaceArguments& arguments, Context& context) {
  UNSCATTER_TRY(done, arguments.with_wait(compact_workspace(arguments.path, arguments.options(context, {}))));
  Report report;
  report.json = {{"workspace", arguments.path}, {"bytes_before", done.bytes_before}, {"bytes_after", done.bytes_after}};
  Table table({{""}, {""}});
  table.add_row({"before", fmt::format("{} bytes", grouped(done.bytes_before))});
  table.add_row({"after", fmt::format("{} bytes", grouped(done.bytes_after))});
  report.text = table.str() + "Graphs, model and ledger are as they were.\n";
  report.stands = "the workspace is compacted";
  return report;
}

}  // namespace

void add_compact_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("compact", "Make a workspace file as small as what it holds");
  const auto arguments = std::make_shared<WorkspaceArguments>();
  arguments->add_to(command);
  command.footer(R"(
Examples:
  unscatter compact --workspace w.unscatter

Removals leave pages that nothing uses.  They are empty, and later writes use them.  This gives them back to the disk.
The file is written anew in one transaction: it is the old one or the new one, whatever happens.  It takes room for a
second file on the disk, and as much memory.  No key is needed.)");
  context.add_action(command, [arguments, &context] { return compact_file(*arguments, context); });
}

}  // namespace unscatter::cli
