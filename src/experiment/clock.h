// Wall-clock time of a stretch of work.
#pragma once

#include <chrono>

namespace unscatter::experiment {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace unscatter::experiment
