// Google Benchmark of the readers, on files that it writes itself.  One parsing thread per format, no downloads.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

// A data set of 2,000 groups in every text form, in a folder that lives as long as the program.
class Files {
 public:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "unscatter-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create a temporary folder");
    folder_ = pattern;
    dataset_ = generate_interest_groups({.groups = 2000}).value();
    write_tu();
    write_gin();
    if (!write_jsonl(dataset_, jsonl()).ok()) throw std::runtime_error("cannot write the benchmark's files");
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  [[nodiscard]] std::filesystem::path tu() const { return folder_ / "BENCH"; }
  [[nodiscard]] std::filesystem::path gin() const { return folder_ / "bench.txt"; }
  [[nodiscard]] std::filesystem::path jsonl() const { return folder_ / "bench.jsonl"; }

 private:
  void write_tu() const {
    std::filesystem::create_directory(tu());
    std::ofstream edges(tu() / "BENCH_A.txt");
    std::ofstream indicator(tu() / "BENCH_graph_indicator.txt");
    std::ofstream labels(tu() / "BENCH_graph_labels.txt");
    std::size_t first = 1;
    for (std::size_t g = 0; g < dataset_.size(); ++g) {
      const Graph& graph = dataset_.graphs[g];
      labels << dataset_.labels[g] << '\n';
      for (std::size_t i = 0; i < graph.node_count(); ++i) {
        indicator << g + 1 << '\n';
        for (const NodeIndex j : graph.neighbours(i)) edges << first + i << ", " << first + j << '\n';
      }
      first += graph.node_count();
    }
  }

  void write_gin() const {
    std::ofstream file(gin());
    file << dataset_.size() << '\n';
    for (std::size_t g = 0; g < dataset_.size(); ++g) {
      const Graph& graph = dataset_.graphs[g];
      file << graph.node_count() << ' ' << dataset_.labels[g] << '\n';
      for (std::size_t i = 0; i < graph.node_count(); ++i) {
        file << "0 " << graph.degree(i);
        for (const NodeIndex j : graph.neighbours(i)) file << ' ' << j;
        file << '\n';
      }
    }
  }

  std::filesystem::path folder_;
  Dataset dataset_;
};

const Files& files() {
  static const Files made;
  return made;
}

double bytes_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return static_cast<double>(std::filesystem::file_size(path));
  double sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) sum += static_cast<double>(entry.file_size());
  return sum;
}

void read(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    const Result<Dataset> dataset = read_dataset(path, {.limits = {}, .threads = 1});
    if (!dataset.ok()) state.SkipWithError(dataset.error().message.c_str());
    benchmark::DoNotOptimize(dataset.value().size());
  }
  state.counters["bytes/s"] =
      benchmark::Counter(bytes_of(path) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void read_tu_folder(benchmark::State& state) { read(state, files().tu()); }
void read_gin_text(benchmark::State& state) { read(state, files().gin()); }
void read_own_jsonl(benchmark::State& state) { read(state, files().jsonl()); }

BENCHMARK(read_tu_folder)->Unit(benchmark::kMillisecond);
BENCHMARK(read_gin_text)->Unit(benchmark::kMillisecond);
BENCHMARK(read_own_jsonl)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace unscatter

BENCHMARK_MAIN();
