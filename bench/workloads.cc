// Named end-to-end workloads on the real data sets, as JSON lines on stdout; bench/table.py turns them into the table of `make
// bench`.
//
//   unscatter_workloads --data FOLDER [--threads N] [--repetitions N] [NAME...]
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine_peak.h"
#include "unscatter/base/parallel.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/walk_scattering.h"
#include "unscatter/graph/read.h"

namespace unscatter::bench {
namespace {

using Json = nlohmann::json;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct EmbedWorkload {
  const char* name;
  const char* file;
  std::size_t scales;
  std::size_t moments;
  std::size_t layers;
};
constexpr EmbedWorkload kEmbed[] = {
    {"IMDB-BINARY", "IMDB-BINARY/IMDB-BINARY.zip", 4, 3, 3},
    {"PROTEINS", "PROTEINS/PROTEINS.zip", 5, 4, 3},
    {"COLLAB", "COLLAB/COLLAB.zip", 3, 2, 2},
    {"MNIST", "MNIST/MNIST_superpixels_train.npz", 5, 4, 3},
    {"CIFAR10", "CIFAR10/CIFAR10_superpixels_train.npz", 5, 4, 3},
};

struct ReadWorkload {
  const char* name;
  const char* file;
};
constexpr ReadWorkload kRead[] = {
    {"COLLAB.zip", "COLLAB/COLLAB.zip"},
    {"COLLAB_gin.zip", "COLLAB/COLLAB_gin.zip"},
    {"MNIST.npz", "MNIST/MNIST_superpixels_train.npz"},
    {"CIFAR10.npz", "CIFAR10/CIFAR10_superpixels_train.npz"},
};

struct Settings {
  std::filesystem::path data;
  std::size_t threads = hardware_threads();
  int repetitions = 5;
  std::vector<std::string> names;  // empty: all
  [[nodiscard]] bool wants(const std::string& name) const {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
};

Json run(const EmbedWorkload& workload, const Settings& settings, const MachinePeak& peak) {
  const Dataset dataset = read_dataset(settings.data / workload.file).value();
  const ScatteringOptions options{.layers = workload.layers, .moments = workload.moments};
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::resolve("auto", dataset).value(),
                    make_walk_scattering(WalkOperator::kRow, workload.scales, options).value()});
  const Embedder embedder(std::move(blocks));

  std::vector<double> times;
  SparseBlockRows Z;
  for (int r = 0; r < settings.repetitions; ++r) {
    times.push_back(seconds([&] { Z = embedder.embed(dataset, {.threads = settings.threads}).value(); }));
  }
  std::sort(times.begin(), times.end());

  WalkScatteringCost cost;
  const std::size_t per_channel = scattering_tree_size(workload.scales, workload.layers) * workload.moments;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    const Graph& graph = dataset.graphs[g];
    const WalkScatteringCost one = walk_scattering_cost(graph.node_count(), graph.entry_count(),
                                                        Z.row(g).values.size() / per_channel, workload.scales, options);
    cost.flops += one.flops;
    cost.bytes += one.bytes;
  }
  const double limit = std::max(cost.flops / peak.additions_per_second, cost.bytes / peak.loaded_bytes_per_second);
  return {{"kind", "embed"},          {"name", workload.name},
          {"graphs", dataset.size()}, {"threads", settings.threads},
          {"seconds", times.front()}, {"median_seconds", times[times.size() / 2]},
          {"flops", cost.flops},      {"bytes", cost.bytes},
          {"limit_seconds", limit},   {"simd", simd_target_name()}};
}

// Most memory this process ever held.
double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// The least a reader of this file must do: decompress every member and throw the bytes away.  Returns the bytes.
double decompress(const std::filesystem::path& path) {
  const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(), archive_read_free);
  archive_read_support_format_zip(reader.get());
  archive_read_open_filename(reader.get(), path.c_str(), 1 << 16);
  std::vector<char> buffer(1 << 20);
  double bytes = 0;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
    la_ssize_t got = 0;
    while ((got = archive_read_data(reader.get(), buffer.data(), buffer.size())) > 0) bytes += static_cast<double>(got);
  }
  return bytes;
}

Json run(const ReadWorkload& workload, const Settings& settings) {
  const std::filesystem::path path = settings.data / workload.file;
  double best = 1e300;
  double limit = 1e300;
  double bytes = 0;
  std::size_t graphs = 0;
  for (int r = 0; r < std::min(settings.repetitions, 3); ++r) {
    best = std::min(best,
                    seconds([&] { graphs = read_dataset(path, {.limits = {}, .threads = settings.threads}).value().size(); }));
    limit = std::min(limit, seconds([&] { bytes = decompress(path); }));
  }
  return {{"kind", "read"},  {"name", workload.name}, {"graphs", graphs},      {"threads", settings.threads},
          {"seconds", best}, {"bytes", bytes},        {"limit_seconds", limit}};
}

int main_with(const Settings& settings) {
  const MachinePeak peak = measure_machine_peak(settings.threads);
  const auto print = [](const Json& line) {
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  };
  print({{"kind", "machine"},
         {"threads", settings.threads},
         {"additions_per_second", peak.additions_per_second},
         {"loaded_bytes_per_second", peak.loaded_bytes_per_second},
         {"simd", simd_target_name()}});
  for (const EmbedWorkload& workload : kEmbed) {
    if (settings.wants(workload.name)) print(run(workload, settings, peak));
  }
  for (const ReadWorkload& workload : kRead) {
    if (settings.wants(workload.name)) print(run(workload, settings));
  }
  return 0;
}

}  // namespace
}  // namespace unscatter::bench

int main(int argc, char** argv) {
  unscatter::bench::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--data" && has_value) {
      settings.data = argv[++i];
    } else if (argument == "--threads" && has_value) {
      settings.threads = std::stoul(argv[++i]);
    } else if (argument == "--repetitions" && has_value) {
      settings.repetitions = std::max(1, std::stoi(argv[++i]));
    } else if (argument.rfind("--", 0) == 0) {
      fmt::print(stderr, "usage: unscatter_workloads --data FOLDER [--threads N] [--repetitions N] [NAME...]\n");
      return 2;
    } else {
      settings.names.push_back(argument);
    }
  }
  try {
    return unscatter::bench::main_with(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "unscatter_workloads: {}\n", error.what());
    return 1;
  }
}
