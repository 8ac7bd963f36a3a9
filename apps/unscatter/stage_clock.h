// How long each stage of a command took.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "output.h"

namespace unscatter::cli {

// Named stages in order.
class StageClock {
 public:
  // The time since the last call, or since construction, belongs to `stage`.
  void stage(std::string_view stage) { stages_.emplace_back(stage, watch_.lap()); }
  [[nodiscard]] double total() const;
  // {"read": 0.012, ...}
  [[nodiscard]] Json json() const;
  // "read 0.012 s, train 0.345 s"
  [[nodiscard]] std::string words() const;

 private:
  Stopwatch watch_;
  std::vector<std::pair<std::string, double>> stages_;
};

}  // namespace unscatter::cli
