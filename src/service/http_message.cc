#include "service/http_message.h"

#include <algorithm>

namespace unscatter::service {

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

bool HttpRequest::came_twice(std::string_view name) const {
  return std::count_if(headers.begin(), headers.end(), [name](const auto& one) { return one.first == name; }) > 1;
}

std::optional<std::string> HttpRequest::list_header(std::string_view name) const {
  std::optional<std::string> list;
  for (const auto& [key, value] : headers) {
    if (key == name) list = list ? *list + ", " + value : value;
  }
  return list;
}

}  // namespace unscatter::service
