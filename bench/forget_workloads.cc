// forget-NAME: how long a removal takes, certificate included.  One node from each of many graphs, one after the other, by the
// default session.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "measure.h"
#include "paper_data.h"
#include "unscatter/base/random.h"
#include "unscatter/base/stopwatch.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kForgetRemovals = 200;

void run_forget(const PaperData& data, const BenchSettings& settings, const Reporter& report) {
  const TrainingPart part = training_part(data, settings);
  const Dataset& train = part.dataset;
  const std::size_t n = train.size();
  SessionOptions options;
  options.regularisation = data.regularisation;
  options.noise_stddev = settings.noise.value_or(options.noise_stddev);
  options.precision = settings.precision.value_or(options.precision);
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
  result["rungs"] = rungs_json(session.rungs());
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
