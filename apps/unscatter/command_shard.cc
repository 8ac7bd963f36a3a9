#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "commands.h"
#include "key_options.h"
#include "shard_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct ConvertArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  ShardArguments shards;
  std::string out;
};

Result<Report> convert(const ConvertArguments& arguments, Context& context, const ShardPlan& plan,
                       std::shared_ptr<const SigningKey> key) {
  WorkspaceOptions how = arguments.workspace.options(context, arguments.key.record(), std::move(key));
  how.read_only = true;
  UNSCATTER_TRY(workspace, arguments.workspace.with_wait(Workspace::open(arguments.workspace.path, how)));
  UNSCATTER_TRY(done, workspace.convert(arguments.out, plan));
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"out", arguments.out},
                 {"shards", done.shards},
                 {"slots_per_shard", done.slots_per_shard},
                 {"bytes", done.bytes},
                 {"entries", done.entries},
                 {"hash", done.head.hex()}};
  Table table({{""}, {""}});
  table.add_row({"written", fmt::format("{}: {} bytes, for its owner only", arguments.out, grouped(done.bytes))});
  if (done.shards > 0) {
    table.add_row({"shards", fmt::format("{} of {} slots", done.shards, grouped(done.slots_per_shard))});
  }
  table.add_row({"ledger", counted(done.entries, "entry", "entries")});
  table.add_row({"head", done.head.hex()});
  report.text = table.str() +
                fmt::format(
                    "{0} is as it was.  There are two workspaces with the same ledger now, and one of them goes on: "
                    "the\nrecord beside the signing key refuses the other as an older copy after the next update.  "
                    "Delete {0} when you\ngo on with {1}; what is forgotten there stays in {0} until then.\n",
                    arguments.workspace.path, arguments.out);
  report.stands = fmt::format("'{}' is written", arguments.out);
  return report;
}

}  // namespace

void add_shard_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("shard", "Write a workspace as a folder of several files");
  const auto arguments = std::make_shared<ConvertArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--out", arguments->out, "The new workspace, a folder that is not there yet")->required();
  arguments->shards.add_to(command);
  arguments->key.add_to(command);
  command.footer(R"(
Examples:
  unscatter shard --workspace w.unscatter --out w-shards --shards 8
  unscatter shard --workspace w.unscatter --out w-shards --slots-per-shard 262144
  unscatter status --workspace w-shards

The folder holds a manifest (ledger, model, receipts) and shards, each with the graphs of some slots.  Every command
takes the folder for --workspace.  A removal writes the shards that it touches, all of them or none.  Copy, move and
delete the folder as a whole: a shard that is missing or older than the manifest is refused.  The list of shards is
signed, so the key is needed.  'unscatter merge' makes one file of it again.)");
  context.add_action(command, [arguments, &context]() -> Result<Report> {
    UNSCATTER_TRY(plan, arguments->shards.plan());
    if (plan.shards == 0 && plan.slots_per_shard == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "say how many shards with --shards, or how large with --slots-per-shard"};
    }
    UNSCATTER_TRY(key, arguments->key.load());
    return convert(*arguments, context, plan, std::move(key));
  });
}

void add_merge_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("merge", "Write a sharded workspace as one file");
  const auto arguments = std::make_shared<ConvertArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--out", arguments->out, "The new workspace, a file that is not there yet")->required();
  arguments->key.add_to(command);
  command.footer(R"(
Examples:
  unscatter merge --workspace w-shards --out w.unscatter

Nothing is signed, so no key is needed; the record beside it is looked at, and an older copy is refused.)");
  context.add_action(command, [arguments, &context] { return convert(*arguments, context, {}, nullptr); });
}

}  // namespace unscatter::cli
