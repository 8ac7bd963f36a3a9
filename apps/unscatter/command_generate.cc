#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "commands.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"

namespace unscatter::cli {
namespace {

constexpr std::array kEdgeWords = {std::pair{FraudEdges::kDirected, "directed"},
                                   std::pair{FraudEdges::kUndirected, "undirected"},
                                   std::pair{FraudEdges::kMixed, "mixed"}};

struct GenerateOptions {
  std::string out;
  std::string kind = "groups";
  bool force = false;
  std::uint64_t seed = 1;
  InterestGroupOptions groups;
  FraudOptions fraud;
  std::string fraud_edges = "directed";
  bool no_attributes = false;

  [[nodiscard]] Result<Dataset> dataset() const {
    if (kind == "groups") {
      InterestGroupOptions chosen = groups;
      chosen.seed = seed;
      return generate_interest_groups(chosen);
    }
    FraudOptions chosen = fraud;
    chosen.seed = seed;
    chosen.attributes = !no_attributes;
    for (const auto& [edges, word] : kEdgeWords) {
      if (word == fraud_edges) chosen.edges = edges;
    }
    return generate_fraud(chosen);
  }
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
  UNSCATTER_TRY(dataset, options.dataset());
  UNSCATTER_CHECK_OK(write_jsonl(dataset, options.out));
  const DatasetSummary summary = summarise(dataset);
  const std::string digest = content_digest(dataset).hex();
  Json json = {{"path", options.out},
               {"graphs", summary.graphs},
               {"nodes", summary.nodes},
               {"edges", summary.edges},
               {"distinct_node_ids", summary.distinct_node_ids},
               {"seed", options.seed},
               {"content_digest", digest}};
  const bool fraud = options.kind == "fraud";
  std::string text =
      fmt::format("{}: {} {}, {} members ({} distinct {}), {} edges\ncontent digest {}\n", options.out,
                  grouped(summary.graphs), fraud ? "cases" : "groups", grouped(summary.nodes),
                  grouped(summary.distinct_node_ids), fraud ? "accounts" : "users", grouped(summary.edges), digest);
  return Report{std::move(json), std::move(text)};
}

}  // namespace

void add_generate_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("generate", "Write synthetic interest groups or fraud cases as JSONL");
  const auto options = std::make_shared<GenerateOptions>();
  InterestGroupOptions& groups = options->groups;
  FraudOptions& fraud = options->fraud;
  command.add_option("OUT", options->out, "File to write")->required();
  command.add_option("--kind", options->kind, "groups: people in interest groups; fraud: accounts in payment graphs")
      ->check(CLI::IsMember({"groups", "fraud"}))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Same options and seed, same data, on every machine")
      ->capture_default_str();
  command.add_flag("--force", options->force, "Overwrite OUT");
  const std::string of_groups = "Of --kind groups";
  command.add_option("--groups", groups.groups, "Graphs: half clubs, half channels")
      ->group(of_groups)
      ->capture_default_str();
  command.add_option("--users", groups.users, "People they are drawn from")->group(of_groups)->capture_default_str();
  command.add_option("--min-size", groups.min_size, "Members of the smallest group")
      ->group(of_groups)
      ->capture_default_str();
  command.add_option("--max-size", groups.max_size, "Members of the largest group")
      ->group(of_groups)
      ->capture_default_str();
  command.add_option("--noise", groups.noise, "Share of edges made random, 0 to 1")
      ->group(of_groups)
      ->capture_default_str();
  const std::string of_fraud = "Of --kind fraud";
  command.add_option("--graphs", fraud.graphs, "Cases: normal, ring and mule")->group(of_fraud)->capture_default_str();
  command.add_option("--accounts", fraud.accounts, "Accounts they are drawn from")
      ->group(of_fraud)
      ->capture_default_str();
  command.add_option("--fraud-share", fraud.fraud_share, "Share of rings and mules together, 0 to 1")
      ->group(of_fraud)
      ->capture_default_str();
  command.add_option("--hidden", fraud.hidden, "Share of frauds that leave no trace, 0 to 1")
      ->group(of_fraud)
      ->capture_default_str();
  command.add_option("--edges", options->fraud_edges, "directed, undirected or mixed")
      ->group(of_fraud)
      ->check(CLI::IsMember({"directed", "undirected", "mixed"}))
      ->capture_default_str();
  command.add_flag("--weights", fraud.weights, "Edges carry the sum that was paid")->group(of_fraud);
  command.add_flag("--no-attributes", options->no_attributes, "Payments only")->group(of_fraud);
  command.add_option("--without-attributes", fraud.without_attributes, "Share of cases that lack them, 0 to 1")
      ->group(of_fraud)
      ->capture_default_str();
  command.add_option("--attribute-scale", fraud.scale, "Every attribute and weight is multiplied by it")
      ->group(of_fraud)
      ->capture_default_str();
  command.add_option("--branches", fraud.branches, "Above 1: node labels, and 3 classes per branch")
      ->group(of_fraud)
      ->capture_default_str();
  command.footer(
      R"(groups: two classes that differ in structure: in a "club" friends of friends become friends, in a "channel"
everyone follows a few hosts.  Every member carries a user id, and active users appear in many groups under the same id.
fraud: three classes of payment graphs with four attributes per account: turnover, age, a flag and a Unix time.

Examples:
  unscatter datasets generate groups.jsonl
  unscatter datasets generate small.jsonl --groups 100 --users 400 --seed 7
  unscatter datasets generate hard.jsonl --noise 0.4 --force
  unscatter datasets generate fraud.jsonl --kind fraud --graphs 2000)");
  context.add_action(command, [options] { return generate(*options); });
}

}  // namespace unscatter::cli
