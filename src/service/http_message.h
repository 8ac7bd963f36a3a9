// A request and its answer without the library that moved them: what handlers see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace unscatter::service {

// Names of headers in lower case, in the order they came.
using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // as it was sent: "/v1/requests?limit=5"
  Headers headers;
  std::string body;
  bool head = false;    // method is "GET", and only the header of the answer is wanted
  std::string address;  // of the client, without port
  bool secure = false;  // it came over TLS
  bool loopback = false;

  // The value of a header that came exactly once.  A header that came twice counts as absent: two parties could read
  // two different values.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  [[nodiscard]] bool came_twice(std::string_view name) const;
  // The values of a header that is a list, with ", " between them: it may come in several lines (RFC 9110, 5.3).
  [[nodiscard]] std::optional<std::string> list_header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  Headers headers = {};  // beside those that every answer has
  std::string body = {};
  bool events = false;  // the body is a stream of server-sent events without end
  // For the log.  Neither holds anything of the user's.
  std::string route = "-";    // template: "/v1/requests/{id}"
  std::string token = "-";    // id of the token
  std::string instance = {};  // that a problem document names
};

// Called exactly once, from any thread.
using Answer = std::function<void(HttpResponse)>;

}  // namespace unscatter::service
