// The log: one JSON object per line.  It names methods, route templates, statuses, durations and ids of tokens.  Paths,
// queries, headers, bodies and sentences about them never come here, because they may name somebody.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "service/http_message.h"

namespace unscatter::service {

class Log {
 public:
  // `write` gets whole lines, one at a time.  Default: standard error.
  explicit Log(std::function<void(std::string_view line)> write = nullptr);

  void answer(const std::string& method, const HttpResponse& response, double seconds);
  // Something about the service itself.
  void note(std::string_view level, std::string_view sentence);

 private:
  void line(std::string text);
  std::mutex mutex_;
  std::function<void(std::string_view)> write_;
};

}  // namespace unscatter::service
