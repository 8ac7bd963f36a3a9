// Wall-clock time between two points of a program.
#pragma once

#include <chrono>

namespace unscatter {

// Runs from its construction on.  Its clock never goes back, even if somebody sets the time of day.
class Stopwatch {
 public:
  // Since construction or the last lap().
  [[nodiscard]] double seconds() const { return seconds_until(Clock::now()); }

  // Returns seconds() and starts again at the same instant.  So laps add up to the whole time.
  double lap() {
    const Clock::time_point now = Clock::now();
    const double seconds = seconds_until(now);
    begun_ = now;
    return seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double seconds_until(Clock::time_point now) const {
    return std::chrono::duration<double>(now - begun_).count();
  }

  Clock::time_point begun_ = Clock::now();
};

}  // namespace unscatter
