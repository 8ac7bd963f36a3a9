// batch: m removals in one update, on generated interest groups.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "measure.h"
#include "node_requests.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/generate.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kBatchSizes[] = {1, 10, 100, 256, 1000};
constexpr std::size_t kBatchRemovals = 3000;  // of each size, at most
constexpr std::size_t kMostBatchUpdates = 30;

void run_batch(const BenchSettings& settings, const Reporter& report) {
  InterestGroupOptions generator;
  generator.groups = settings.groups;
  const Dataset dataset = or_fail(generate_interest_groups(generator));
  const auto embedder = or_fail(make_embedder("degree-onehot", TransformSpec{}, dataset, FitSource::once()));
  SessionOptions options;
  options.threads = settings.threads;
  options.noise_stddev = settings.noise.value_or(options.noise_stddev);
  if (settings.distance_limit) options.distance_limit = settings.distance_limit;
  const std::size_t removals = settings.removals.value_or(kBatchRemovals);
  for (const std::size_t m : kBatchSizes) {
    const std::size_t updates = std::min(kMostBatchUpdates, removals / m);
    const std::vector<RemovalRequest> requests = node_requests(dataset, m * updates);
    if (updates == 0 || requests.size() < m) continue;  // there are not so many removals or nodes
    reset_peak_bytes();
    // A new session for every size, so that all of them begin with the same graphs.
    Session session = or_fail(Session::create(dataset, embedder, options));
    Samples samples;
    for (std::size_t first = 0; first + m <= requests.size(); first += m) {
      bool satisfied = false;
      samples.measure([&] { satisfied = or_fail(session.forget(std::span(requests).subspan(first, m))).satisfied; });
      if (!satisfied) throw std::runtime_error("a certificate is not satisfied");
    }
    Json result = samples.removals(fmt::format("batch m={}", m), m);
    result["batch"] = m;
    result["graphs"] = dataset.size();
    result["coordinates"] = embedder->width();
    result["classes"] = session.classes();
    result["regularisation"] = options.regularisation;
    result["rungs"] = counts_by_name<Json>(session.rungs());
    result["remark"] = fmt::format("n {}, d {}, K {}; updates: {}", dataset.size(), embedder->width(),
                                   session.classes(), rungs_words(session.rungs()));
    report(result);
  }
}

}  // namespace

Workload batch_workload() {
  return {"batch", "1, 10, 100, 256 and 1000 nodes of generated groups in one update; times are per update", run_batch};
}

}  // namespace unscatter::bench
