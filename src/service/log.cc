#include "service/log.h"

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utc_time.h"

namespace unscatter::service {
namespace {

std::string log_time() { return utc_text(static_cast<std::int64_t>(std::time(nullptr))); }

void write_to_stderr(std::string_view line) {
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace

Log::Log(std::function<void(std::string_view)> write) : write_(write ? std::move(write) : write_to_stderr) {}

void Log::line(std::string text) {
  text += '\n';
  const std::lock_guard lock(mutex_);
  write_(text);
}

void Log::answer(const std::string& method, const HttpResponse& response, double seconds) {
  nlohmann::ordered_json json = {{"time", log_time()},   {"method", method},         {"route", response.route},
                                 {"status", response.status}, {"seconds", seconds}, {"token", response.token}};
  if (!response.instance.empty()) json["instance"] = response.instance;
  line(json.dump());
}

void Log::note(std::string_view level, std::string_view sentence) {
  line(nlohmann::ordered_json{{"time", log_time()}, {"level", level}, {"message", sentence}}.dump());
}

}  // namespace unscatter::service
