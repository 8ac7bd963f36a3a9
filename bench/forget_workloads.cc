// forget-NAME: how long a removal takes, certificate included.  One node from each of many graphs, one after the other,
// by the default session.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "learn/curvature_form.h"
#include "machine_peak.h"
#include "measure.h"
#include "paper_data.h"
#include "unscatter/base/random.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kForgetRemovals = 200;

// What the steps of one removal must do at least: operations, and bytes read if nothing stays in a cache between two
// steps.
struct RemovalWork {
  double operations = 0;
  double bytes = 0;
};

// Counted as in docs/performance.md.  `stored` is the number of values in all rows.
RemovalWork removal_work(std::size_t graphs, std::size_t coordinates, std::size_t stored, std::size_t classes,
                         double steps) {
  const auto n = static_cast<double>(graphs);
  const auto d = static_cast<double>(coordinates);
  const auto values = static_cast<double>(stored);
  const auto K = static_cast<double>(classes);
  // Two classes mirror each other, so one of them is solved.
  const double solved = classes == 2 ? 1 : K;
  const double evaluation = 4 * values * K;
  if (cheaper_form(graphs, coordinates) == HessianForm::kPrimal) {
    return {steps * (evaluation + 2 * solved * d * d), steps * 8 * (values + solved * d * d)};
  }
  // Every step reads the Gram matrix in double precision and the inverses in single precision.  The rows are read once,
  // at the end.
  return {steps * 4 * solved * n * n + evaluation, steps * (8 + 4 * solved) * n * n + 8 * values};
}

void run_forget(const PaperData& data, const BenchSettings& settings, const Reporter& report) {
  const TrainingPart part = training_part(data, settings);
  const Dataset& train = part.dataset;
  const std::size_t n = train.size();
  SessionOptions options;
  options.regularisation = settings.regularisation.value_or(data.regularisation);
  options.noise_stddev = settings.noise.value_or(options.noise_stddev);
  if (settings.distance_limit) options.distance_limit = settings.distance_limit;
  options.threads = settings.threads;

  reset_peak_bytes();
  const Stopwatch training;
  Session session = or_fail(Session::create(train, part.embedder, options));
  const double train_seconds = training.seconds();

  Sequence random(1);
  Samples samples;
  std::size_t steps = 0;
  for (std::size_t g = 0; g < std::min(n, settings.removals.value_or(kForgetRemovals)); ++g) {
    const RemovalRequest request = ForgetNode{g, random.below(train.graphs[g].node_count())};
    std::optional<Certificate> certificate;
    samples.measure([&] { certificate = or_fail(session.forget(request)); });
    steps += certificate->newton_steps;
    if (!certificate->satisfied) throw std::runtime_error("a certificate is not satisfied");
  }
  Json result = samples.removals(std::string("forget-") + data.name);
  result["graphs"] = n;
  result["coordinates"] = part.embedder->width();
  result["classes"] = session.classes();
  result["regularisation"] = options.regularisation;
  result["embed_and_train_seconds"] = train_seconds;
  result["steps_per_removal"] = static_cast<double>(steps) / static_cast<double>(samples.count());
  const SparseBlockRows rows = or_fail(part.embedder->embed(train, {.threads = settings.threads}));
  const RemovalWork work = removal_work(n, part.embedder->width(), rows.stored_values(), session.classes(),
                                        static_cast<double>(steps) / static_cast<double>(samples.count()));
  const ProductPeak peak = measure_product_peak(settings.threads == 0 ? hardware_threads() : settings.threads);
  result["flops"] = work.operations;
  result["bytes"] = work.bytes;
  result["peak_flops_per_second"] = peak.operations_per_second;
  result["peak_bytes_per_second"] = peak.read_bytes_per_second;
  result["limit_seconds"] =
      std::max(work.operations / peak.operations_per_second, work.bytes / peak.read_bytes_per_second);
  result["rungs"] = counts_by_name<Json>(session.rungs());
  result["remark"] =
      fmt::format("n {}, d {}, K {}; {}", n, part.embedder->width(), session.classes(), rungs_words(session.rungs()));
  report(result);
}

}  // namespace

std::vector<Workload> forget_workloads() {
  return workloads_on_paper_data(
      "forget",
      [](const PaperData&) {
        return fmt::format("one node from each of up to {} graphs, certificate included", kForgetRemovals);
      },
      run_forget);
}

}  // namespace unscatter::bench
