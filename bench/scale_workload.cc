// forget-scale: does the cost of a removal depend on the number of graphs? Synthetic rows, without graphs.  Each
// removal replaces one random row by one that differs a little, as the embedding of an edited graph does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.h"
#include "unlearn/learner.h"
#include "unscatter/base/random.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kScaleClasses = 10;
constexpr std::size_t kScaleRemovals = 1000;
// The widths of the embeddings of MNIST and of CIFAR10.
constexpr std::size_t kNarrow = 124;
constexpr std::size_t kWide = 372;
// A removal moves the embedding by about this share of its length, like one node of twenty.
constexpr double kMoved = 0.05;
// With the paper's 1e-6 the bound of the fast rung, divided by lambda n, is of no use (docs/performance.md).
constexpr double kScaleRegularisation = 1e-2;

std::string scale_name(std::size_t n, std::size_t d) { return fmt::format("forget-scale n={} d={}", n, d); }

struct SyntheticRows {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
};

// Every class leans towards a direction of its own, and |z| is about 1.  The noise is uniform: its distribution does
// not matter here, and it is cheap to draw.
SyntheticRows synthetic_rows(std::size_t n, std::size_t d, Sequence& random) {
  const auto uniform = [&random] { return 2 * random.unit() - 1; };
  const double scale = std::sqrt(3.0 / static_cast<double>(d));  // |uniform vector| is then about 1
  std::vector<std::vector<double>> directions(kScaleClasses, std::vector<double>(d));
  for (auto& direction : directions)
    std::generate(direction.begin(), direction.end(), [&] { return 0.5 * scale * uniform(); });
  SyntheticRows data;
  data.rows = SparseBlockRows(n, d);
  data.labels.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    data.labels[i] = static_cast<std::uint32_t>(random.below(kScaleClasses));
    BlockRow row;
    double* values = row.append(0, d);
    for (std::size_t j = 0; j < d; ++j) values[j] = directions[data.labels[i]][j] + 0.87 * scale * uniform();
    data.rows.set_row(i, std::move(row));
  }
  return data;
}

void measure_scale(std::size_t n, std::size_t d, const BenchSettings& settings, const Reporter& report) {
  Sequence random(n + d);
  SyntheticRows data = synthetic_rows(n, d, random);
  SessionOptions options;
  options.regularisation = settings.regularisation.value_or(kScaleRegularisation);
  options.noise_stddev = settings.noise.value_or(options.noise_stddev);
  if (settings.distance_limit) options.distance_limit = settings.distance_limit;
  options.threads = settings.threads;
  SecureRandom noise;

  reset_peak_bytes();
  const Stopwatch training;
  Learner learner =
      or_fail(Learner::create(std::move(data.rows), std::move(data.labels), kScaleClasses, options, noise));
  const double train_seconds = training.seconds();

  Samples samples;
  RungCounts rungs;
  const double scale = kMoved * std::sqrt(3.0 / static_cast<double>(d));
  for (std::size_t r = 0; r < settings.removals.value_or(kScaleRemovals); ++r) {
    std::vector<RowChange> changes(1);
    changes[0].row = random.below(n);
    changes[0].after = learner.rows().row(changes[0].row);
    for (double& value : changes[0].after.values) value += scale * (2 * random.unit() - 1);
    std::optional<Rung> rung;
    samples.measure([&] {
      Fit fit = or_fail(learner.begin(changes, noise));
      if (!fit.assessment.satisfied) throw std::runtime_error("a certificate is not satisfied");
      rung = fit.rung;
      learner.commit(changes, std::move(fit));
    });
    rungs.count(*rung);
  }
  // The fast rung certified without looking at the other rows.  Looking at all of them must confirm it.
  if (!learner.evaluate().satisfied) throw std::runtime_error("the residual at the end is above what was certified");

  Json result = samples.removals(scale_name(n, d));
  result["rows"] = n;
  result["coordinates"] = d;
  result["classes"] = kScaleClasses;
  result["regularisation"] = options.regularisation;
  result["noise_stddev"] = options.noise_stddev;
  result["distance_limit"] = options.distance_limit ? Json(*options.distance_limit) : Json();
  result["train_seconds"] = train_seconds;
  result["rungs"] = counts_by_name<Json>(rungs);
  // The mean over all updates.  It contains what was needed now and then: new anchors, Newton steps.
  result["amortised_seconds"] = result["mean_seconds"];
  result["remark"] = fmt::format("lambda {:g}; amortised {:.3g} ms; {}", options.regularisation,
                                 1e3 * result["mean_seconds"].get<double>(), rungs_words(rungs));
  report(result);
}

void run_scale(const BenchSettings& settings, const Reporter& report) {
  std::vector<std::size_t> sizes = settings.scale_rows;
  if (sizes.empty()) sizes = {1000, 10'000, 100'000, 1'000'000};
  std::sort(sizes.begin(), sizes.end());
  for (const std::size_t d : {kNarrow, kWide}) {
    for (const std::size_t n : sizes) {
      // The rows, and what is kept beside their values.  The 800 bytes per row are an estimate.
      const double needed = static_cast<double>(n) * (8 * static_cast<double>(d) + 800);
      const double available = available_bytes();
      if (needed > available) {
        report({{"name", scale_name(n, d)},
                {"skipped", fmt::format("takes {:.1f} GB of memory; {:.1f} are free", needed / 1e9, available / 1e9)}});
        continue;
      }
      measure_scale(n, d, settings, report);
    }
  }
}

}  // namespace

Workload scale_workload() {
  return {
      "forget-scale",
      fmt::format("one of n rows is replaced, n = 10^3 to 10^6; d = {} and {}; K = {}", kNarrow, kWide, kScaleClasses),
      run_scale};
}

}  // namespace unscatter::bench
