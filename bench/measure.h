// Clocks and counters, and the results made of them.  All times are in seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/stopwatch.h"
#include "unscatter/unlearn/certificate.h"
#include "workload.h"

namespace unscatter::bench {

[[nodiscard]] double seconds_of(const std::function<void()>& work);
// Processor time of all threads of this process.  Unlike the wall clock it does not see what else the machine does.
[[nodiscard]] double processor_seconds();

// The most memory that this process held since reset_peak_bytes().  If the system does not allow a reset: since its
// start.
[[nodiscard]] double peak_bytes();
void reset_peak_bytes();
// The memory that the machine could give to this process now.  Infinite where it does not say.
[[nodiscard]] double available_bytes();

// Wall clock, processor time and allocations of a number of calls.
class Samples {
 public:
  // Runs `work` once and keeps its times and allocations.
  void measure(const std::function<void()>& work);

  [[nodiscard]] std::size_t count() const noexcept { return wall_.size(); }
  [[nodiscard]] double best() const;
  [[nodiscard]] double total() const;
  // The smallest time that is not exceeded by a share `q` of all calls.
  [[nodiscard]] double quantile(double q) const;

  // A result for work that is repeated without change: best_seconds, p50_seconds, per_second (`items` of each call over
  // its median), allocations (per call), peak_bytes.
  [[nodiscard]] Json repeated(const std::string& name, double items) const;
  // A result for removals, which all differ.  It also has p95, p99, mean and p50 of processor time.  The mean is total
  // over count, so it contains what rare expensive removals cost. per_second is 1 / mean times the `requests` of each
  // call, and allocations_per_removal is per request.
  [[nodiscard]] Json removals(const std::string& name, std::size_t requests = 1) const;

 private:
  std::vector<double> wall_;
  std::vector<double> processor_;
  std::size_t allocations_ = 0;
};

// "newton 100".  Rungs that were not used are left out.
[[nodiscard]] std::string rungs_words(const RungCounts& rungs);

}  // namespace unscatter::bench
