// workspace: durable removals per second.  Single-node requests against a workspace on disk, and where the time goes.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/stopwatch.h"
#include "measure.h"
#include "node_requests.h"
#include "temporary_workspace.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/generate.h"
#include "unscatter/store/workspace.h"

namespace unscatter::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSingleRequests = 1000;
constexpr std::size_t kBatchedRequests = 10'000;

Json shares_of(const StageTimes& times, double total) {
  const double staged = times.update + times.record + times.write + times.commit + times.checkpoint;
  return {{"update", times.update / total},         {"record", times.record / total},
          {"write", times.write / total},           {"commit", times.commit / total},
          {"checkpoint", times.checkpoint / total}, {"rest", (total - staged) / total}};
}

void measure_workspace(const Dataset& dataset, std::size_t batch, std::size_t count, const BenchSettings& settings,
                       const Reporter& report) {
  SecureRandom random;
  WorkspaceOptions options;
  options.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  options.threads = settings.threads;
  WorkspaceSetup setup;
  setup.dataset = dataset;
  setup.features = settings.features;
  setup.options.regularisation = settings.regularisation.value_or(setup.options.regularisation);
  setup.options.noise_stddev = settings.noise.value_or(setup.options.noise_stddev);
  if (settings.distance_limit) setup.options.distance_limit = settings.distance_limit;
  const std::vector<RemovalRequest> requests = node_requests(dataset, count / batch * batch);

  reset_peak_bytes();
  const TemporaryWorkspace file;
  const Stopwatch creating;
  Workspace workspace = or_fail(Workspace::create(file.path(), std::move(setup), options));
  const double create = creating.seconds();
  Samples samples;
  for (std::size_t first = 0; first + batch <= requests.size(); first += batch) {
    bool satisfied = false;
    samples.measure([&] {
      satisfied = or_fail(workspace.forget(std::span(requests).subspan(first, batch))).certificate.satisfied;
    });
    if (!satisfied) throw std::runtime_error("a certificate is not satisfied");
  }
  const StageTimes& times = workspace.stage_times();
  const RungCounts& rungs = workspace.info().rungs;
  const Json share = shares_of(times, samples.total());
  Json result = samples.removals(fmt::format("workspace m={}", batch), batch);
  result["batch"] = batch;
  result["graphs"] = dataset.size();
  result["coordinates"] = workspace.embedder().width();
  result["share"] = share;
  // What the same disk would allow if every request were committed on its own and nothing had to be computed.
  result["disk_commits_per_second"] = static_cast<double>(samples.count()) / (times.commit + times.checkpoint);
  result["rungs"] = counts_by_name<Json>(rungs);
  result["create_seconds"] = create;
  result["file_bytes"] = fs::file_size(file.path());
  result["remark"] =
      fmt::format("n {}, d {}; update {:.0f} %, disk {:.0f} %", dataset.size(), workspace.embedder().width(),
                  100 * share["update"].get<double>(), 100 * (times.commit + times.checkpoint) / samples.total());
  report(result);
}

void run_workspace(const BenchSettings& settings, const Reporter& report) {
  InterestGroupOptions generator;
  generator.groups = settings.groups;
  const Dataset dataset = or_fail(generate_interest_groups(generator));
  measure_workspace(dataset, 1, settings.removals.value_or(kSingleRequests), settings, report);
  const std::size_t batch = Workspace::ListOptions{}.batch;
  const std::size_t batched = settings.removals.value_or(kBatchedRequests);
  if (batched >= batch) measure_workspace(dataset, batch, batched, settings, report);
}

}  // namespace

Workload workspace_workload() {
  return {"workspace", "durable removals against a workspace file, one by one and in batches; times are per update",
          run_workspace};
}

}  // namespace unscatter::bench
