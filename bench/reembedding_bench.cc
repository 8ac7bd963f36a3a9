// How to recompute a graph's filters after a node removal: the figures of docs/re-embedding.md.
//
//   reembedding_bench [--benchmark_filter=..] [--benchmark_repetitions=5]
//
// Polynomial of degree K applied to c signals: sparse re-application, update of cached powers, dense powers from
// scratch. Arbitrary kernel: fresh eigendecomposition, eigen-downdate, Chebyshev of degree 32 by sparse re-application.
// Every method starts from the edited graph or from its own cache and ends with the filtered signals.  Prints one table
// of medians in microseconds of processor time.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "reembedding/eigen_downdate.h"
#include "reembedding/plain_shift.h"
#include "reembedding/power_cache.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

using Eigen::Index;

struct Shape {
  const char* name;
  std::size_t nodes;
  double neighbours;
};
constexpr Shape kShapes[] = {{"IMDB-BINARY", 20, 10},      {"PROTEINS", 40, 3.7},
                             {"COLLAB", 75, 66},           {"PROTEINS, large", 150, 3.7},
                             {"COLLAB, larger", 150, 75},  {"PROTEINS, largest", 400, 3.7},
                             {"COLLAB, largest", 400, 200}};
constexpr int kChannels[] = {1, 8, 32};
constexpr std::size_t kDegrees[] = {8, 16};
constexpr std::size_t kChebyshevDegree = 32;
constexpr NodeIndex kRemoved = 7;

// Rows of the edited shift, one weight per entry.
struct SparseShift {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeIndex> columns;
  std::vector<double> weights;
};

// A graph before and after the removal, its frozen-degree shift (norm at most 1) in all forms, and signals for the
// nodes that stay.
struct Case {
  Matrix before;
  Matrix after;
  SparseShift sparse;

  explicit Case(const Shape& shape) {
    Sequence random(17);
    GraphParts parts;
    parts.node_count = shape.nodes;
    const double probability = shape.neighbours / static_cast<double>(shape.nodes - 1);
    for (NodeIndex i = 0; i < shape.nodes; ++i) {
      for (NodeIndex j = i + 1; j < shape.nodes; ++j) {
        if (random.chance(probability)) parts.edges.push_back({i, j});
      }
    }
    const Graph graph = Graph::create(std::move(parts)).value();
    const Graph edited = apply(graph, RemoveNode{kRemoved}).value().value();
    const Vector frozen = degrees(graph);
    Vector kept(frozen.size() - 1);
    kept << frozen.head(kRemoved), frozen.tail(frozen.size() - 1 - kRemoved);
    before = frozen_degree_shift(graph, frozen).value();
    after = frozen_degree_shift(edited, kept).value();
    sparse.offsets.assign(edited.offsets().begin(), edited.offsets().end());
    sparse.columns.assign(edited.entries().begin(), edited.entries().end());
    for (std::size_t i = 0; i < edited.node_count(); ++i) {
      for (const NodeIndex j : edited.neighbours(i)) sparse.weights.push_back(after(static_cast<Index>(i), j));
    }
  }

  [[nodiscard]] RowMatrix signals(int channels) const {
    Sequence random(18);
    RowMatrix x(after.rows(), channels);
    for (double& entry : x.reshaped()) entry = 2 * random.unit() - 1;
    return x;
  }
};

const Case& case_of(std::size_t shape) {
  static std::map<std::size_t, Case> cases;
  return cases.try_emplace(shape, kShapes[shape]).first->second;
}

std::vector<double> coefficients(std::size_t degree) {
  std::vector<double> c(degree + 1);
  for (std::size_t k = 0; k <= degree; ++k) c[k] = (k % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(k + 1);
  return c;
}

// y = alpha S x + beta b + gamma y on channels [first, first + kWidth): as many sums in registers, one sweep over the
// entries.
template <std::size_t kWidth>
void sweep_block(const SparseShift& S, std::size_t first, double alpha, const RowMatrix& x, double beta,
                 const RowMatrix& b, double gamma, RowMatrix& y) {
  const auto width = static_cast<std::size_t>(x.cols());
  const double* __restrict from = x.data() + first;
  for (std::size_t i = 0; i + 1 < S.offsets.size(); ++i) {
    double sum[kWidth] = {};
    for (std::uint32_t entry = S.offsets[i]; entry < S.offsets[i + 1]; ++entry) {
      const double weight = S.weights[entry];
      const double* __restrict row = from + S.columns[entry] * width;
      for (std::size_t k = 0; k < kWidth; ++k) sum[k] += weight * row[k];
    }
    const double* own = b.data() + i * width + first;
    double* out = y.data() + i * width + first;
    for (std::size_t k = 0; k < kWidth; ++k) out[k] = alpha * sum[k] + beta * own[k] + gamma * out[k];
  }
}

void sweep(const SparseShift& S, double alpha, const RowMatrix& x, double beta, const RowMatrix& b, double gamma,
           RowMatrix& y) {
  const auto width = static_cast<std::size_t>(x.cols());
  std::size_t first = 0;
  for (; first + 8 <= width; first += 8) sweep_block<8>(S, first, alpha, x, beta, b, gamma, y);
  for (; first < width; ++first) sweep_block<1>(S, first, alpha, x, beta, b, gamma, y);
}

// Horner: y <- S y + c_k x.
RowMatrix sparse_polynomial(const SparseShift& S, const std::vector<double>& c, const RowMatrix& x) {
  RowMatrix y = c.back() * x;
  RowMatrix next = RowMatrix::Zero(x.rows(), x.cols());
  for (std::size_t k = c.size() - 1; k-- > 0;) {
    sweep(S, 1, y, c[k], x, 0, next);
    std::swap(y, next);
  }
  return y;
}

// Heat kernel on the spectrum of the normalised Laplacian 1 - lambda, lambda in [-1, 1].
double heat(double lambda) { return std::exp(-3 * (1 - lambda)); }

std::vector<double> chebyshev_coefficients() {
  constexpr std::size_t kPoints = 2 * kChebyshevDegree;
  std::vector<double> c(kChebyshevDegree + 1);
  for (std::size_t k = 0; k <= kChebyshevDegree; ++k) {
    for (std::size_t t = 0; t < kPoints; ++t) {
      const double angle = std::acos(-1.0) * (static_cast<double>(t) + 0.5) / static_cast<double>(kPoints);
      c[k] += (k == 0 ? 1.0 : 2.0) / static_cast<double>(kPoints) * heat(std::cos(angle)) *
              std::cos(static_cast<double>(k) * angle);
    }
  }
  return c;
}

// Clenshaw: u_k = 2 S u_{k+1} - u_{k+2} + c_k x, and the result c_0 x + S u_1 - u_2.
RowMatrix sparse_chebyshev(const SparseShift& S, const std::vector<double>& c, const RowMatrix& x) {
  RowMatrix later = c.back() * x;
  RowMatrix latest = RowMatrix::Zero(x.rows(), x.cols());
  for (std::size_t k = c.size() - 1; k-- > 0;) {
    sweep(S, k > 0 ? 2 : 1, later, c[k], x, -1, latest);
    std::swap(later, latest);
  }
  return later;
}

// Processor time of this thread: every method runs on one, and a busy machine must not decide which is faster.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Times `method` alone, on states that `prepare` makes anew.  Small graphs run in batches, because reading the clock
// takes as long as a tenth of one run.
template <typename Prepare, typename Method>
void time_on_fresh_state(benchmark::State& state, const Case& c, const Prepare& prepare, const Method& method) {
  const std::size_t batch = c.after.rows() <= 75 ? 8 : 1;
  for (auto _ : state) {
    std::vector<decltype(prepare())> fresh;
    for (std::size_t k = 0; k < batch; ++k) fresh.push_back(prepare());
    const double start = thread_seconds();
    for (auto& one : fresh) benchmark::DoNotOptimize(method(one));
    state.SetIterationTime((thread_seconds() - start) / static_cast<double>(batch));
  }
}

void check(benchmark::State& state, const RowMatrix& value, const RowMatrix& expected) {
  if ((value - expected).norm() > 1e-9 * expected.norm()) state.SkipWithError("the methods disagree");
}

void polynomial(benchmark::State& state, const std::string& method, std::size_t shape, int channels,
                std::size_t degree) {
  const Case& c = case_of(shape);
  const RowMatrix x = c.signals(channels);
  const std::vector<double> h = coefficients(degree);
  const auto sparse = [&](int) { return sparse_polynomial(c.sparse, h, x); };
  const auto cached = [&](PowerCache& cache) {
    (void)cache.remove_node(kRemoved).ok();
    return cache.apply(h, x);
  };
  const auto dense = [&](int) { return PowerCache::create(c.after, degree).value().apply(h, x); };
  if (method == "sparse") {
    check(state, sparse(0), dense(0));
    time_on_fresh_state(
        state, c, [] { return 0; }, sparse);
  } else if (method == "cached powers") {
    const PowerCache start = PowerCache::create(c.before, degree).value();
    PowerCache copy = start;
    check(state, cached(copy), dense(0));
    state.counters["bytes"] = static_cast<double>(start.bytes());
    time_on_fresh_state(
        state, c, [&] { return PowerCache(start); }, cached);
  } else {
    time_on_fresh_state(
        state, c, [] { return 0; }, dense);
  }
}

void kernel(benchmark::State& state, const std::string& method, std::size_t shape, int channels) {
  const Case& c = case_of(shape);
  const RowMatrix x = c.signals(channels);
  const std::vector<double> chebyshev = chebyshev_coefficients();
  const auto fresh = [&](int) { return apply_kernel(symmetric_eigen(c.after).value(), heat, x); };
  const auto downdate = [&](EigenDowndate& eigen) {
    (void)eigen.remove_node(kRemoved).ok();
    return eigen.apply(heat, x);
  };
  const auto sparse = [&](int) { return sparse_chebyshev(c.sparse, chebyshev, x); };
  if (method == "fresh eigen") {
    time_on_fresh_state(
        state, c, [] { return 0; }, fresh);
  } else if (method == "eigen-downdate") {
    const EigenDowndate start = EigenDowndate::create(c.before).value();
    EigenDowndate copy = start;
    check(state, downdate(copy), fresh(0));
    state.counters["bytes"] = static_cast<double>(start.bytes());
    time_on_fresh_state(
        state, c, [&] { return EigenDowndate(start); }, downdate);
  } else {
    check(state, sparse(0), fresh(0));
    time_on_fresh_state(
        state, c, [] { return 0; }, sparse);
  }
}

const std::vector<std::string> kPolynomialMethods = {"sparse", "cached powers", "dense powers"};
const std::vector<std::string> kKernelMethods = {"Chebyshev", "eigen-downdate", "fresh eigen"};

std::string row_name(std::size_t shape, int channels, std::size_t degree) {
  return fmt::format("| {} | {} | {} | {} | {} ", kShapes[shape].name, kShapes[shape].nodes, kShapes[shape].neighbours,
                     channels, degree == 0 ? "any" : fmt::format("{}", degree));
}

void register_all() {
  const auto add = [](const std::string& row, const std::string& method, auto run) {
    benchmark::RegisterBenchmark((row + "#" + method).c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  for (std::size_t shape = 0; shape < std::size(kShapes); ++shape) {
    for (const int channels : kChannels) {
      for (const std::size_t degree : kDegrees) {
        for (const std::string& method : kPolynomialMethods) {
          add(row_name(shape, channels, degree), method,
              [=](benchmark::State& state) { polynomial(state, method, shape, channels, degree); });
        }
      }
      for (const std::string& method : kKernelMethods) {
        add(row_name(shape, channels, 0), method,
            [=](benchmark::State& state) { kernel(state, method, shape, channels); });
      }
    }
  }
}

// Collects the medians (or the single runs, if not repeated) and prints them as one table.
class TableReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) fmt::print(stderr, "{}: {}\n", run.benchmark_name(), run.error_message);
      if (run.run_type == Run::RT_Aggregate ? run.aggregate_name != "median" : run.repetitions > 1) continue;
      const std::string& name = run.run_name.function_name;
      const std::size_t split = name.find('#');
      Cell& cell = rows_[name.substr(0, split)][name.substr(split + 1)];
      cell.microseconds = run.GetAdjustedRealTime();
      if (const auto bytes = run.counters.find("bytes"); bytes != run.counters.end()) cell.bytes = bytes->second.value;
    }
  }
  void Finalize() override {
    print(kPolynomialMethods, false);
    print(kKernelMethods, true);
  }

 private:
  struct Cell {
    double microseconds = 0;
    double bytes = 0;
  };

  void print(const std::vector<std::string>& methods, bool any_kernel) {
    fmt::print("\n| shape | g | neighbours | c | K | {} | {} | {} | cache, bytes |\n", methods[0], methods[1],
               methods[2]);
    fmt::print("|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t shape = 0; shape < std::size(kShapes); ++shape) {
      for (const int channels : kChannels) {
        for (const std::size_t degree : any_kernel ? std::vector<std::size_t>{0} : std::vector<std::size_t>{8, 16}) {
          const auto row = rows_.find(row_name(shape, channels, degree));
          if (row == rows_.end()) continue;
          auto& cells = row->second;
          fmt::print("{}| {:.1f} | {:.1f} | {:.1f} | {:.0f} |\n", row->first, cells[methods[0]].microseconds,
                     cells[methods[1]].microseconds, cells[methods[2]].microseconds, cells[methods[1]].bytes);
        }
      }
    }
  }

  std::map<std::string, std::map<std::string, Cell>> rows_;
};

}  // namespace
}  // namespace unscatter

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  unscatter::register_all();
  unscatter::TableReporter table;
  benchmark::RunSpecifiedBenchmarks(&table);
  return 0;
}
