#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "commands.h"
#include "training.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

Result<Report> retrain_workspace(TrainArguments arguments, const CLI::App& command, Context& context) {
  UNSCATTER_TRY(key, arguments.key.load());
  // With the key: a record that knows of later removals refuses an older copy, and nobody else writes meanwhile.
  UNSCATTER_TRY(old, arguments.workspace.open(context, arguments.key.record(), std::move(key)));
  UNSCATTER_TRY(predecessor, old.predecessor());
  WorkspaceInfo info = old.info();
  const std::string from = arguments.workspace.path;
  if (arguments.out.empty()) arguments.out = place_beside(from).string();
  arguments.data = fmt::format("what is left of {}", from);
  UNSCATTER_TRY(report, train_workspace(arguments, command, context,
                                        Before{std::move(old), std::move(info), std::move(predecessor)}));
  std::error_code unknown;
  if (!fs::equivalent(arguments.out, from, unknown)) {
    report.text += fmt::format(
        "{0} is still there, with its own model.  Requests to forget have to be made to both, until {0} is deleted.\n"
        "Graphs keep their numbers; nodes without ids are numbered anew.\n",
        from);
  }
  return report;
}

}  // namespace

void add_retrain_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("retrain", "Learn again from what is left, with other options");
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--out", arguments->out, "The new workspace (default: beside the old one, as NAME-2)");
  command.add_flag("--force", arguments->force, "Replace --out if it exists, once the new one is complete");
  arguments->key.add_to(command);
  arguments->add_choices_to(command);
  command.footer(R"(
Examples:
  unscatter retrain --workspace w.unscatter --lambda 1e-4
  unscatter retrain --workspace w.unscatter --out better.unscatter --features auto --layers 4
  unscatter retrain --workspace w.unscatter --out w.unscatter --force --epsilon 0.5

Nothing that was forgotten comes back: graphs, nodes and features that were removed stay removed, and constants that are
fitted are fitted to what is left.  Options that are not given stay those of the workspace; features and transform stay
together, so one option of them brings the others to the defaults of 'train'.
The new ledger begins with the last entry of the old one.  Models that were published before stay counted, and the
certificate states the promise for all of them together.)");
  context.add_action(
      command, [arguments, &command, &context] { return retrain_workspace(*arguments, command, context); },
      [arguments]() -> Status {
        if (arguments->constants.public_share == 0) return ok_status();
        return Error{ErrorCode::kInvalidArgument,
                     "--public-share does not go with retrain: no graph of a workspace is public"};
      });
}

}  // namespace unscatter::cli
