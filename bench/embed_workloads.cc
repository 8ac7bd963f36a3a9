// embed-NAME: embeds every graph of a data set and compares the time with the best that the machine could do.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "machine_peak.h"
#include "measure.h"
#include "paper_data.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/walk_scattering.h"
#include "unscatter/graph/read.h"

namespace unscatter::bench {
namespace {

WalkScatteringCost cost_of(const Dataset& dataset, const SparseBlockRows& Z, std::size_t scales,
                           const ScatteringOptions& options) {
  WalkScatteringCost cost;
  const std::size_t per_channel = scattering_tree_size(scales, options.layers) * options.moments;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    const Graph& graph = dataset.graphs[g];
    const WalkScatteringCost one = walk_scattering_cost(graph.node_count(), graph.entry_count(),
                                                        Z.row(g).values.size() / per_channel, scales, options);
    cost.flops += one.flops;
    cost.bytes += one.bytes;
  }
  return cost;
}

void run_embed(const PaperData& data, const BenchSettings& settings, const Reporter& report) {
  const Dataset dataset = or_fail(read_dataset(path_of(settings, data.embed_file)));
  const std::size_t threads = settings.threads == 0 ? hardware_threads() : settings.threads;
  const MachinePeak peak = measure_machine_peak(threads);
  const ScatteringOptions options{.layers = data.layers, .moments = data.moments};
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({or_fail(FeatureMap::resolve("paper", dataset, FitSource::once())),
                    or_fail(make_walk_scattering(WalkOperator::kRow, data.scales, options))});
  const Embedder embedder(std::move(blocks));

  reset_peak_bytes();
  Samples samples;
  SparseBlockRows Z;
  for (std::size_t r = 0; r < settings.repeat; ++r) {
    samples.measure([&] { Z = or_fail(embedder.embed(dataset, {.threads = threads})); });
  }
  const WalkScatteringCost cost = cost_of(dataset, Z, data.scales, options);
  Json result = samples.repeated(std::string("embed-") + data.name, static_cast<double>(dataset.size()));
  result["graphs"] = dataset.size();
  result["coordinates"] = Z.columns();
  result["flops"] = cost.flops;
  result["bytes"] = cost.bytes;
  result["limit_seconds"] = std::max(cost.flops / peak.additions_per_second, cost.bytes / peak.loaded_bytes_per_second);
  result["simd"] = simd_target_name();
  result["additions_per_second"] = peak.additions_per_second;
  result["loaded_bytes_per_second"] = peak.loaded_bytes_per_second;
  report(result);
}

}  // namespace

std::vector<Workload> embed_workloads() {
  return workloads_on_paper_data(
      "embed", [](const PaperData& data) { return fmt::format("embed every graph of {}", data.embed_file); },
      run_embed);
}

}  // namespace unscatter::bench
