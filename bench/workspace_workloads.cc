// Durable removals per second: single-node requests against a workspace on disk, and where the time goes.
//
//   workspace_workloads [--groups N] [--requests N] [--threads N] [--features TEXT] [--scales J] [--lambda L] [--folder PATH]
//                       [BATCH...]                                                            one JSON line per batch size
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unscatter/base/random.h"
#include "unscatter/graph/generate.h"
#include "unscatter/store/workspace.h"

namespace unscatter::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct WorkspaceSettings {
  std::size_t groups = 1000;
  std::size_t requests = 10000;
  std::size_t threads = 0;
  std::string features = "auto";
  std::size_t scales = TransformSpec{}.scales;
  double regularisation = SessionOptions{}.regularisation;
  fs::path folder = fs::temp_directory_path();
  std::vector<std::size_t> batches;
};

WorkspaceSettings parse(int argc, char** argv) {
  WorkspaceSettings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (argument == "--groups")
      settings.groups = std::stoul(value());
    else if (argument == "--requests")
      settings.requests = std::stoul(value());
    else if (argument == "--threads")
      settings.threads = std::stoul(value());
    else if (argument == "--features")
      settings.features = value();
    else if (argument == "--scales")
      settings.scales = std::stoul(value());
    else if (argument == "--lambda")
      settings.regularisation = std::stod(value());
    else if (argument == "--folder")
      settings.folder = value();
    else
      settings.batches.push_back(std::stoul(argument));
  }
  if (settings.batches.empty()) settings.batches = {1, Workspace::ListOptions{}.batch};
  return settings;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Nodes drawn without repetition, at most half of every graph, so that none goes whole.
std::vector<RemovalRequest> node_requests(const Dataset& dataset, std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> nodes;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    for (std::size_t v = 0; v < dataset.graphs[g].node_count() / 2; ++v) nodes.emplace_back(g, v);
  }
  Sequence random(1);
  random.shuffle(std::span(nodes));
  nodes.resize(std::min(nodes.size(), count));
  std::vector<RemovalRequest> requests;
  for (const auto& [graph, node] : nodes) {
    const ForgetNode request{graph, node};
    requests.emplace_back(request);
  }
  return requests;
}

nlohmann::ordered_json run(const WorkspaceSettings& settings, const Dataset& dataset, std::size_t batch) {
  SecureRandom random;
  WorkspaceOptions options;
  options.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  options.threads = settings.threads;
  const fs::path path = settings.folder / fmt::format("bench-{}.unscatter", Salt::random(random).hex().substr(0, 16));
  WorkspaceSetup setup;
  setup.dataset = dataset;
  setup.features = settings.features;
  setup.transform.scales = settings.scales;
  setup.options.regularisation = settings.regularisation;
  const std::vector<RemovalRequest> requests = node_requests(dataset, settings.requests);

  Clock::time_point start = Clock::now();
  Workspace workspace = Workspace::create(path, std::move(setup), options).value();
  const double create = seconds_since(start);
  start = Clock::now();
  Workspace::ListOptions list;
  list.batch = batch;
  const Workspace::ListOutcome outcome = workspace.forget_list(requests, list).value();
  const double total = seconds_since(start);

  const StageTimes& times = workspace.stage_times();
  const RungCounts& rungs = workspace.info().rungs;
  const double staged = times.update + times.record + times.write + times.commit + times.checkpoint;
  nlohmann::ordered_json line = {
      {"workload", "workspace"},
      {"groups", settings.groups},
      {"width", workspace.embedder().width()},
      {"batch", batch},
      {"requests", outcome.honoured},
      {"updates", outcome.updates},
      {"seconds", total},
      {"requests_per_second", static_cast<double>(outcome.honoured) / total},
      {"share",
       {{"update", times.update / total},
        {"record", times.record / total},
        {"write", times.write / total},
        {"commit", times.commit / total},
        {"checkpoint", times.checkpoint / total},
        {"rest", (total - staged) / total}}},
      // What the same disk allows if every request were committed on its own and nothing had to be computed.
      {"disk_commits_per_second", static_cast<double>(outcome.updates) / (times.commit + times.checkpoint)},
      {"rungs", {{"fast", rungs.fast}, {"exact", rungs.exact}, {"newton", rungs.newton}, {"retrain", rungs.retrain}}},
      {"create_seconds", create},
      {"file_bytes", fs::file_size(path)}};
  { const Workspace closed = std::move(workspace); }
  fs::remove(path);
  return line;
}

}  // namespace
}  // namespace unscatter::bench

int main(int argc, char** argv) {
  using namespace unscatter::bench;
  const WorkspaceSettings settings = parse(argc, argv);
  unscatter::InterestGroupOptions groups;
  groups.groups = settings.groups;
  const unscatter::Dataset dataset = unscatter::generate_interest_groups(groups).value();
  for (const std::size_t batch : settings.batches) fmt::print("{}\n", run(settings, dataset, batch).dump());
}
