#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "unscatter/graph/read.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct ExportArguments {
  WorkspaceArguments workspace;
  std::string out;
  bool force = false;
};

Result<Report> export_graphs(const ExportArguments& arguments, Context& context) {
  UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  const WorkspaceInfo info = workspace.info();
  // An older copy may hold what was removed since.
  if (info.outdated) return *info.outdated;
  UNSCATTER_TRY(dataset, workspace.remaining());
  std::size_t featureless = 0;
  std::size_t tombstones = 0;
  for (const Graph& graph : dataset.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      featureless += graph.state(i) == NodeState::kFeatureless ? 1u : 0u;
      tombstones += graph.state(i) == NodeState::kTombstone ? 1u : 0u;
    }
  }
  UNSCATTER_CHECK_OK(write_jsonl(dataset, arguments.out, {.owner_only = true}));
  const std::string digest = content_digest(dataset).hex();
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"out", arguments.out},
                 {"graphs", dataset.size()},
                 {"graphs_at_creation", info.slots},
                 {"featureless_nodes", featureless},
                 {"tombstones", tombstones},
                 {"digest", digest},
                 {"hash", info.head.hex()}};
  Table table({{""}, {""}});
  table.add_row({"written", fmt::format("{}: {} of {} graphs, for its owner only", arguments.out,
                                        grouped(dataset.size()), grouped(info.slots))});
  if (featureless + tombstones > 0) {
    table.add_row({"states", fmt::format("{} and {} stay removed: their lines say so",
                                         counted(featureless, "node without features", "nodes without features"),
                                         counted(tombstones, "tombstone", "tombstones"))});
  }
  if (dataset.size() < info.slots) table.add_row({"numbers", "graphs are numbered anew, from 0; ids stay"});
  table.add_row({"digest", digest});
  report.text = table.str();
  return report;
}

}  // namespace

void add_export_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("export", "Write what is left of the data, as a data set");
  const auto arguments = std::make_shared<ExportArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--out", arguments->out, "Where it goes, a JSONL file")->required();
  command.add_flag("--force", arguments->force, "Replace --out if it exists");
  command.footer(R"(
Examples:
  unscatter export --workspace w.unscatter --out left.jsonl
  unscatter datasets info left.jsonl

The file holds graphs, classes, ids, attributes, labels and positions as they are now.  Nodes whose features were
removed, and tombstones, stay what they are.  Nothing that was removed is in it.  'unscatter train' reads it.  A model
that is trained from it does not know how many models were published before; 'unscatter retrain' does.)");
  context.add_action(command, [arguments, &context] { return export_graphs(*arguments, context); });
}

}  // namespace unscatter::cli
