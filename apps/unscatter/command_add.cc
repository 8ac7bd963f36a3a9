#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "catalogue.h"
#include "commands.h"
#include "expiry_options.h"
#include "locations.h"
#include "row_options.h"
#include "unscatter/graph/read.h"
#include "update.h"

namespace unscatter::cli {
namespace {

struct AddArguments {
  UpdateArguments update;
  std::string data;
  RowArguments rows;  // in place of `data`
  ExpiryArguments expiry;
};

Result<Dataset> read_new(const AddArguments& arguments, Context& context) {
  const ReadOptions reading{.limits = {},
                            .symmetrise = false,
                            .threads = arguments.update.workspace.threads,
                            .progress = &context.progress()};
  if (arguments.rows.given()) return read_rows(arguments.rows.files(), reading);
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path, resolve_dataset(arguments.data, catalogue));
  return read_dataset(path, reading);
}

Result<Report> add_graphs(const AddArguments& arguments, Context& context) {
  UNSCATTER_TRY(dataset, read_new(arguments, context));
  const std::int64_t now = seconds_now();
  UNSCATTER_CHECK_OK(arguments.expiry.apply(dataset.due, dataset.size(), now));
  note_overdue(dataset.due, now, context);
  return run_update(arguments.update, context, EntryKind::kAdded, "",
                    [&](Workspace& workspace) { return workspace.prepare_addition(std::move(dataset)); });
}

}  // namespace

void add_add_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("add", "Learn from more graphs, by one certified update");
  const auto arguments = std::make_shared<AddArguments>();
  command.add_option("--data", arguments->data,
                     "The new graphs, with labels: a data set, or the name of one that is here");
  arguments->rows.add_to(command);
  arguments->update.add_to(command);
  arguments->expiry.add_to(command);
  command.footer(R"(
Examples:
  unscatter add --workspace w.unscatter --data new-groups.jsonl
  unscatter add --workspace w.unscatter --data new-groups.jsonl --dry-run
  unscatter add --workspace w.unscatter --data new-groups.jsonl --keep-for 90d
  unscatter add --workspace w.unscatter --data new-groups.jsonl --receipt added.json --openings openings.jsonl
  unscatter add --workspace rows.unscatter --rows new.npy --labels new.txt --row-ids new-ids.txt

The graphs get the numbers after the largest one so far.  If graphs of the workspace have ids, the new ones need ids
too, and ids that are there already are refused.  So are classes that the model does not have, and attributes of another
number: such a model has to be trained anew.  Level everyone takes no new graphs.
The certificate is about all data together: the kept weights are as near to training from scratch on it as after a
removal.  A published model is from before and is not handed out again: 'unscatter release' gives a new one.)");
  context.add_action(
      command, [arguments, &context] { return add_graphs(*arguments, context); },
      [arguments]() -> Status {
        UNSCATTER_CHECK_OK(arguments->rows.check(arguments->data));
        return arguments->expiry.check();
      });
}

}  // namespace unscatter::cli
