#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"

namespace unscatter::cli {
namespace {

struct GenerateOptions {
  std::string out;
  bool force = false;
  InterestGroupOptions groups;
};

Status check_target(const GenerateOptions& options) {
  const std::filesystem::path out(options.out);
  std::error_code ignored;
  if (std::filesystem::is_directory(out, ignored)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is a folder; name a file", options.out)};
  }
  if (!options.force && std::filesystem::exists(out, ignored)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists; --force overwrites it", options.out)};
  }
  return ok_status();
}

Result<Report> generate(const GenerateOptions& options) {
  UNSCATTER_CHECK_OK(check_target(options));
  UNSCATTER_TRY(dataset, generate_interest_groups(options.groups));
  UNSCATTER_CHECK_OK(write_jsonl(dataset, options.out));
  const DatasetSummary summary = summarise(dataset);
  const std::string digest = content_digest(dataset).hex();
  Json json = {{"path", options.out},
               {"graphs", summary.graphs},
               {"nodes", summary.nodes},
               {"edges", summary.edges},
               {"distinct_node_ids", summary.distinct_node_ids},
               {"seed", options.groups.seed},
               {"content_digest", digest}};
  std::string text = fmt::format("{}: {} groups, {} members ({} distinct users), {} edges\ncontent digest {}\n",
                                 options.out, grouped(summary.graphs), grouped(summary.nodes),
                                 grouped(summary.distinct_node_ids), grouped(summary.edges), digest);
  return Report{std::move(json), std::move(text)};
}

}  // namespace

void add_generate_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("generate", "Write synthetic interest groups as JSONL");
  const auto options = std::make_shared<GenerateOptions>();
  InterestGroupOptions& groups = options->groups;
  command.add_option("OUT", options->out, "File to write")->required();
  command.add_option("--groups", groups.groups, "Graphs: half clubs, half channels")->capture_default_str();
  command.add_option("--users", groups.users, "People they are drawn from")->capture_default_str();
  command.add_option("--min-size", groups.min_size, "Members of the smallest group")->capture_default_str();
  command.add_option("--max-size", groups.max_size, "Members of the largest group")->capture_default_str();
  command.add_option("--noise", groups.noise, "Share of edges made random, 0 to 1")->capture_default_str();
  command.add_option("--seed", groups.seed, "Same options and seed, same data, on every machine")
      ->capture_default_str();
  command.add_flag("--force", options->force, "Overwrite OUT");
  command.footer(
      R"(Two classes that differ in structure: in a "club" friends of friends become friends, in a "channel" everyone
follows a few hosts.  Every member carries a user id, and active users appear in many groups under the same id.

Examples:
  unscatter datasets generate groups.jsonl
  unscatter datasets generate small.jsonl --groups 100 --users 400 --seed 7
  unscatter datasets generate hard.jsonl --noise 0.4 --force)");
  context.add_action(command, [options] { return generate(*options); });
}

}  // namespace unscatter::cli
