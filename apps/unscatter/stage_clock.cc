#include "stage_clock.h"

#include <fmt/format.h>

namespace unscatter::cli {

double StageClock::total() const {
  double seconds = 0;
  for (const auto& [stage, duration] : stages_) seconds += duration;
  return seconds;
}

Json StageClock::json() const {
  Json json = Json::object();
  for (const auto& [stage, duration] : stages_) json[stage] = duration;
  return json;
}

std::string StageClock::words() const {
  std::string text;
  for (const auto& [stage, duration] : stages_)
    text += fmt::format("{}{} {:.3f} s", text.empty() ? "" : ", ", stage, duration);
  return text;
}

}  // namespace unscatter::cli
