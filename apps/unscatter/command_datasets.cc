#include "commands.h"

namespace unscatter::cli {

void add_datasets_command(CLI::App& parent, Context& context) {
  CLI::App& datasets = *parent.add_subcommand("datasets", "List, inspect, generate and fetch data sets");
  datasets.require_subcommand(1);
  datasets.footer(R"(Examples:
  unscatter datasets list
  unscatter datasets fetch MUTAG
  unscatter datasets info MUTAG
  unscatter datasets generate groups.jsonl --groups 200)");
  add_list_command(datasets, context);
  add_info_command(datasets, context);
  add_generate_command(datasets, context);
  add_fetch_command(datasets, context);
}

}  // namespace unscatter::cli
