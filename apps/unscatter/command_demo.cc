// A first look, without files or downloads: generate groups, embed them, forget one user everywhere, check that nothing is
// left.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/generate.h"

namespace unscatter::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Appearance {
  std::size_t group;
  NodeIndex node;
};

// Every place where the most active user appears.
std::pair<std::string, std::vector<Appearance>> busiest_user(const Dataset& dataset) {
  std::map<std::string, std::vector<Appearance>> places;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    const Graph& graph = dataset.graphs[g];
    for (NodeIndex i = 0; i < graph.node_count(); ++i) places[graph.node_id(i)].push_back({g, i});
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
  return *std::max_element(places.begin(), places.end(), fewer);
}

// The group as it would be had `gone` never joined, put together anew from its members and ties.
Result<Graph> rebuilt_without(const Graph& graph, NodeIndex gone) {
  GraphParts parts;
  parts.node_count = graph.node_count() - 1;
  const auto renumbered = [gone](NodeIndex i) { return i > gone ? i - 1 : i; };
  for (NodeIndex i = 0; i < graph.node_count(); ++i) {
    if (i == gone) continue;
    parts.node_ids.push_back(graph.node_id(i));
    for (const NodeIndex j : graph.neighbours(i)) {
      if (j != gone && i < j) parts.edges.push_back({renumbered(i), renumbered(j)});
    }
  }
  return Graph::create(std::move(parts));
}

struct Removal {
  std::size_t groups = 0;
  std::size_t identical = 0;  // rows equal, bit for bit, to those of groups that never had the user
  double milliseconds = 0;
  double largest_change = 0;  // |z - z'|
};

Result<Removal> forget(const Embedder& embedder, const Dataset& dataset, const SparseBlockRows& Z,
                       const std::vector<Appearance>& places) {
  Removal removal;
  for (const Appearance& place : places) {
    const Graph& graph = dataset.graphs[place.group];
    const auto start = Clock::now();
    UNSCATTER_TRY(after, reembed(embedder, graph, RemoveNode{place.node}));
    removal.milliseconds += milliseconds_since(start);
    ++removal.groups;
    if (!after) continue;
    UNSCATTER_TRY(never, rebuilt_without(graph, place.node));
    UNSCATTER_TRY(row, embedder.embed(never));
    if (row == after->row) ++removal.identical;
    SparseBlockRows pair(0, Z.columns());
    pair.append_row(Z.row(place.group));
    pair.append_row(after->row);
    const RowMatrix dense = pair.to_dense();
    removal.largest_change = std::max(removal.largest_change, (dense.row(0) - dense.row(1)).norm());
  }
  return removal;
}

Result<Report> demo(Context& context) {
  context.say("unscatter demo: graphs in, embeddings out, and one user forgotten\n\n");
  auto start = Clock::now();
  UNSCATTER_TRY(dataset, generate_interest_groups({}));
  const double generate_ms = milliseconds_since(start);
  const DatasetSummary summary = summarise(dataset);

  UNSCATTER_TRY(features, FeatureMap::resolve("auto", dataset));
  UNSCATTER_TRY(transform, make_transform({}));
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({std::move(features), std::move(transform)});
  const Embedder embedder(std::move(blocks));
  start = Clock::now();
  UNSCATTER_TRY(Z, embedder.embed(dataset, {.progress = &context.progress()}));
  const double embed_ms = milliseconds_since(start);

  const auto [user, places] = busiest_user(dataset);
  UNSCATTER_TRY(removal, forget(embedder, dataset, Z, places));
  if (removal.identical != removal.groups) {
    return Error{ErrorCode::kUnsupported, fmt::format("{} of {} groups still tell that {} was there",
                                                      removal.groups - removal.identical, removal.groups, user)};
  }

  Report report;
  report.json = {{"groups", summary.graphs},
                 {"users", summary.distinct_node_ids},
                 {"generate_milliseconds", generate_ms},
                 {"coordinates", Z.columns()},
                 {"embed_milliseconds", embed_ms},
                 {"forgotten",
                  {{"user", user},
                   {"groups", removal.groups},
                   {"identical", removal.identical},
                   {"milliseconds", removal.milliseconds},
                   {"largest_change", removal.largest_change}}}};
  Table table({{"step"}, {"what happened"}, {"time", Table::Align::kRight}});
  table.add_row({"generate",
                 fmt::format("{} groups of {} users, {} of class {} and {} of class {}", grouped(summary.graphs),
                             grouped(summary.distinct_node_ids), summary.class_counts[0], dataset.class_names[0],
                             summary.class_counts[1], dataset.class_names[1]),
                 fmt::format("{:.1f} ms", generate_ms)});
  table.add_row({"embed", fmt::format("{} coordinates per group, from its structure alone", grouped(Z.columns())),
                 fmt::format("{:.1f} ms", embed_ms)});
  table.add_row({"forget",
                 fmt::format("{}, a member of {} groups; largest change of an embedding {:.3f}", user, removal.groups,
                             removal.largest_change),
                 fmt::format("{:.2f} ms", removal.milliseconds)});
  table.add_row({"check",
                 fmt::format("all {} embeddings equal, bit for bit, those of groups the user never joined", removal.identical),
                 ""});
  report.text =
      table.str() + "\nNext: unscatter datasets generate groups.jsonl, then unscatter embed --data groups.jsonl --out Z.npy\n";
  return report;
}

}  // namespace

void add_demo_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("demo", "Generate, embed, forget, check: a first look in a second");
  command.footer(R"(
Examples:
  unscatter demo
  unscatter demo --json)");
  context.add_action(command, [&context] { return demo(context); });
}

}  // namespace unscatter::cli
