// memory: how much memory a workspace takes while it is made, trained and opened again, and how this grows with the
// number of graphs.  Generated groups of 30 members are read from a file, as `unscatter train` does.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "measure.h"
#include "temporary_workspace.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kMembers = 30;
// Enough people that the index of who is in which group has a realistic size.
constexpr std::size_t kGroupsPerUser = 5;
// Then the width of the embedding does not grow with the degrees that occur.
constexpr const char* kFeatures = "log-degree";

void measure_memory(std::size_t n, const BenchSettings& settings, const Reporter& report) {
  const TemporaryWorkspace data_file;
  const TemporaryWorkspace file;
  {
    InterestGroupOptions generator;
    generator.groups = n;
    generator.users = std::max<std::size_t>(kMembers, n / kGroupsPerUser);
    generator.min_size = generator.max_size = kMembers;
    const Status written = write_jsonl(or_fail(generate_interest_groups(generator)), data_file.path());
    if (!written.ok()) throw std::runtime_error(written.error().message);
  }
  SecureRandom random;
  WorkspaceOptions options;
  options.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  options.threads = settings.threads;

  reset_peak_bytes();
  const Stopwatch reading;
  WorkspaceSetup setup;
  setup.dataset = or_fail(read_jsonl(data_file.path()));
  setup.features = kFeatures;
  const double read_seconds = reading.seconds();
  Samples samples;
  std::size_t width = 0;
  samples.measure([&] {
    const Workspace workspace = or_fail(Workspace::create(file.path(), std::move(setup), options));
    width = workspace.embedder().width();
  });
  Json result = samples.repeated(fmt::format("memory n={}", n), static_cast<double>(n));
  const auto creating = result["peak_bytes"].get<double>();

  // The first peak must not count for the second one.
  setup = {};
  reset_peak_bytes();
  const Stopwatch opening;
  Workspace again = or_fail(Workspace::open(file.path(), options));
  (void)or_fail(again.session());
  result["graphs"] = n;
  result["nodes_per_graph"] = kMembers;
  result["coordinates"] = width;
  result["read_seconds"] = read_seconds;
  result["open_seconds"] = opening.seconds();
  result["open_peak_bytes"] = peak_bytes();
  result["bytes_per_graph"] = creating / static_cast<double>(n);
  result["file_bytes"] = std::filesystem::file_size(file.path());
  result["remark"] = fmt::format("d {}; {:.0f} bytes per graph; opened again in {:.3g} s with {:.0f} MB", width,
                                 creating / static_cast<double>(n), result["open_seconds"].get<double>(),
                                 result["open_peak_bytes"].get<double>() / 1e6);
  report(result);
}

void run_memory(const BenchSettings& settings, const Reporter& report) {
  std::vector<std::size_t> sizes = settings.scale_rows;
  if (sizes.empty()) sizes = {1000, 10'000, 100'000};
  for (const std::size_t n : sizes) measure_memory(n, settings, report);
}

}  // namespace

Workload memory_workload() {
  return {"memory",
          "a workspace of n graphs of 30 nodes is made and trained: peak of resident memory; n = 10^3 to 10^5",
          run_memory};
}

}  // namespace unscatter::bench
