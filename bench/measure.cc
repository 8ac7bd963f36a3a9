#include "measure.h"

#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "allocation_count.h"

namespace unscatter::bench {
namespace {

double quantile_of(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  // Nearest rank: always a time that was really measured.
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values.at(std::max<std::size_t>(rank, 1) - 1);
}

}  // namespace

double seconds_of(const std::function<void()>& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

namespace {

// The number behind `key` in a file of the kernel, "key:   123 kB".
std::optional<double> bytes_in(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream words(line.substr(key.size()));
    double kibibytes = 0;
    words >> kibibytes;
    return 1024 * kibibytes;
  }
  return std::nullopt;
}

}  // namespace

// Not getrusage(): it counts what the parent process held before exec, and it cannot be reset.
double peak_bytes() { return bytes_in("/proc/self/status", "VmHWM:").value_or(0); }

double available_bytes() {
  return bytes_in("/proc/meminfo", "MemAvailable:").value_or(std::numeric_limits<double>::infinity());
}

void reset_peak_bytes() {
  malloc_trim(0);  // memory that an earlier result freed must not count for this one
  std::ofstream("/proc/self/clear_refs") << "5";
}

void Samples::measure(const std::function<void()>& work) {
  // Counters are read outside the timed part.
  const std::size_t allocations = allocation_count();
  const double processor = processor_seconds();
  const double wall = seconds_of(work);
  const double processor_spent = processor_seconds() - processor;
  allocations_ += allocation_count() - allocations;
  wall_.push_back(wall);
  processor_.push_back(processor_spent);
}

double Samples::best() const { return *std::min_element(wall_.begin(), wall_.end()); }
double Samples::total() const { return std::accumulate(wall_.begin(), wall_.end(), 0.0); }
double Samples::quantile(double q) const { return quantile_of(wall_, q); }

Json Samples::repeated(const std::string& name, double items) const {
  return {{"name", name},
          {"repeats", count()},
          {"best_seconds", best()},
          {"p50_seconds", quantile(0.5)},
          {"per_second", items / quantile(0.5)},
          {"allocations", static_cast<double>(allocations_) / static_cast<double>(count())},
          {"peak_bytes", peak_bytes()}};
}

Json Samples::removals(const std::string& name, std::size_t requests) const {
  const double mean = total() / static_cast<double>(count());
  return {{"name", name},
          {"updates", count()},
          {"removals", count() * requests},
          {"best_seconds", best()},
          {"p50_seconds", quantile(0.5)},
          {"p95_seconds", quantile(0.95)},
          {"p99_seconds", quantile(0.99)},
          {"mean_seconds", mean},
          {"p50_processor_seconds", quantile_of(processor_, 0.5)},
          {"per_second", static_cast<double>(requests) / mean},
          {"allocations_per_removal", static_cast<double>(allocations_) / static_cast<double>(count() * requests)},
          {"peak_bytes", peak_bytes()}};
}

std::string rungs_words(const RungCounts& rungs) {
  std::string words;
  for (const auto& [rung, text] : kRungs) {
    if (rungs[rung] != 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", text, rungs[rung]);
  }
  return words;
}

}  // namespace unscatter::bench
