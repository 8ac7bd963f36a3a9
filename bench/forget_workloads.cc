// How long a removal takes, certificate included: one node from each of many graphs, by the default session, beside training
// from scratch on the same data.
//
//   forget_workloads --data FOLDER [--threads N] [--noise SIGMA] [--precision P] [NAME...]       one JSON line per workload
#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::bench {
namespace {

struct ForgetWorkload {
  const char* name;
  const char* file;
  std::size_t scales, moments, layers;
  double regularisation;
};
// The paper's settings [Pan23, Table 4], with Q = 2 on COLLAB as its program has it.
constexpr ForgetWorkload kForget[] = {
    {"forget-imdb", "IMDB-BINARY/IMDB-BINARY.zip", 4, 3, 3, 1e-3},
    {"forget-proteins", "PROTEINS/PROTEINS.zip", 5, 4, 3, 1e-4},
    {"forget-collab", "COLLAB/COLLAB_gin.zip", 3, 2, 2, 1e-4},
    {"forget-mnist", "MNIST/MNIST_superpixels_train.npz", 5, 4, 3, 1e-6},
    {"forget-cifar10", "CIFAR10/CIFAR10_superpixels_train.npz", 5, 4, 3, 1e-6},
};

struct ForgetSettings {
  std::filesystem::path data;
  std::size_t threads = 0;
  double noise = SessionOptions{}.noise_stddev;
  double precision = SessionOptions{}.precision;
  std::vector<std::string> names;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Of all threads; unlike the clock on the wall it does not see what else the machine does.
double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

nlohmann::json run(const ForgetWorkload& workload, const ForgetSettings& settings) {
  const Dataset dataset = read_dataset(settings.data / workload.file).value();
  TransformSpec spec;
  spec.scales = workload.scales;
  spec.moments = workload.moments;
  spec.layers = workload.layers;
  const auto embedder = make_embedder("auto", spec, dataset).value();
  const Split split = random_split(dataset.size(), {}, 1).value();
  const Dataset train = subset(dataset, split.train);
  const std::size_t n = train.size();

  SessionOptions options;
  options.regularisation = workload.regularisation;
  options.noise_stddev = settings.noise;
  options.precision = settings.precision;
  options.threads = settings.threads;
  auto start = std::chrono::steady_clock::now();
  Session session = Session::create(train, embedder, options).value();
  const double train_ms = milliseconds_since(start);

  Sequence random(1);
  std::vector<double> times;
  std::vector<double> processor_times;
  std::size_t steps = 0;
  for (std::size_t g = 0; g < std::min<std::size_t>(n, 200); ++g) {
    const RemovalRequest request = ForgetNode{g, random.below(train.graphs[g].node_count())};
    const double processor = processor_milliseconds();
    start = std::chrono::steady_clock::now();
    const Certificate certificate = session.forget(request).value();
    times.push_back(milliseconds_since(start));
    processor_times.push_back(processor_milliseconds() - processor);
    steps += certificate.newton_steps;
    if (!certificate.satisfied) throw std::runtime_error("a certificate is not satisfied");
  }
  std::sort(times.begin(), times.end());
  std::sort(processor_times.begin(), processor_times.end());
  const RungCounts& rungs = session.rungs();
  return {{"name", workload.name},
          {"graphs", n},
          {"coordinates", embedder->width()},
          {"classes", session.classes()},
          {"embed_and_train_milliseconds", train_ms},
          {"removals", times.size()},
          {"steps_per_removal", static_cast<double>(steps) / static_cast<double>(times.size())},
          {"p50_milliseconds", quantile(times, 0.5)},
          {"p50_processor_milliseconds", quantile(processor_times, 0.5)},
          {"p95_milliseconds", quantile(times, 0.95)},
          {"p99_milliseconds", quantile(times, 0.99)},
          {"rungs", {{"fast", rungs.fast}, {"exact", rungs.exact}, {"newton", rungs.newton}, {"retrain", rungs.retrain}}}};
}

int run_all(const ForgetSettings& settings) {
  for (const ForgetWorkload& workload : kForget) {
    const bool wanted = settings.names.empty() ||
                        std::find(settings.names.begin(), settings.names.end(), workload.name) != settings.names.end();
    if (wanted) fmt::print("{}\n", run(workload, settings).dump());
  }
  return 0;
}

int main_with(const std::vector<std::string>& arguments) {
  ForgetSettings settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    if (arguments[i] == "--data" && has_value) {
      settings.data = arguments[++i];
    } else if (arguments[i] == "--threads" && has_value) {
      settings.threads = std::stoul(arguments[++i]);
    } else if (arguments[i] == "--noise" && has_value) {
      settings.noise = std::stod(arguments[++i]);
    } else if (arguments[i] == "--precision" && has_value) {
      settings.precision = std::stod(arguments[++i]);
    } else if (arguments[i].starts_with("--")) {
      fmt::print(stderr, "usage: forget_workloads --data FOLDER [--threads N] [--noise SIGMA] [--precision P] [NAME...]\n");
      return 2;
    } else {
      settings.names.push_back(arguments[i]);
    }
  }
  return run_all(settings);
}

}  // namespace
}  // namespace unscatter::bench

int main(int argc, char** argv) {
  try {
    return unscatter::bench::main_with({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "forget_workloads: {}\n", error.what());
    return 1;
  }
}
