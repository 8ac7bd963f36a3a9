// Clocks, counters and what is said about them.  All times are seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/stopwatch.h"
#include "unscatter/unlearn/certificate.h"
#include "workload.h"

namespace unscatter::bench {

[[nodiscard]] double seconds_of(const std::function<void()>& work);
// Of all threads of this process; unlike the clock on the wall it does not see what else the machine does.
[[nodiscard]] double processor_seconds();

// Most memory that this process held since reset_peak_bytes(), or ever where the system does not let it be reset.
[[nodiscard]] double peak_bytes();
void reset_peak_bytes();
// Memory that the machine could give to this process now; infinite where it does not say.
[[nodiscard]] double available_bytes();

// Wall clock, processor time and allocations of a number of calls.
class Samples {
 public:
  // Runs `work` once and keeps what it took.
  void measure(const std::function<void()>& work);

  [[nodiscard]] std::size_t count() const noexcept { return wall_.size(); }
  [[nodiscard]] double best() const;
  [[nodiscard]] double total() const;
  // The smallest time that a share `q` of all calls does not exceed.
  [[nodiscard]] double quantile(double q) const;

  // A result for work that is repeated as it is: best_seconds, p50_seconds, per_second (`items` of each call over its
  // median), allocations (per call), peak_bytes.
  [[nodiscard]] Json repeated(const std::string& name, double items) const;
  // A result for removals, each other than the one before: also p95, p99, mean (total over count: what rare expensive
  // ones cost is in it), p50 of processor time; per_second is 1 / mean times `requests` of each call,
  // allocations_per_removal is per request.
  [[nodiscard]] Json removals(const std::string& name, std::size_t requests = 1) const;

 private:
  std::vector<double> wall_;
  std::vector<double> processor_;
  std::size_t allocations_ = 0;
};

// {"fast": 0, "exact": 0, "newton": 100, "retrain": 0}
[[nodiscard]] Json rungs_json(const RungCounts& rungs);

// "newton 100", without the rungs that were not used.
[[nodiscard]] std::string rungs_words(const RungCounts& rungs);

}  // namespace unscatter::bench
