// JSON that clients send.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "service/http_message.h"
#include "service/outcome.h"

namespace unscatter::service {

using Json = nlohmann::ordered_json;

// The body of a request.  415 unless Content-Type is application/json; 400 for text that is no JSON, that is nested
// deeper than 32 levels, and where a name occurs twice in an object.
[[nodiscard]] Outcome<Json> json_body(const HttpRequest& request);
// The same; an empty body is an empty object.
[[nodiscard]] Outcome<Json> optional_json_body(const HttpRequest& request);
[[nodiscard]] Outcome<Json> parse_json(std::string_view text);

// 422 unless `document` is an object that has no other fields than these.
[[nodiscard]] std::optional<Refusal> check_fields(const Json& document, std::initializer_list<std::string_view> names);
// A field of an object.  422 where it is of another kind or too long; an empty default where it is missing and not
// required.
struct TextField {
  const char* name = nullptr;
  std::size_t longest = 0;
  bool required = false;
};
[[nodiscard]] Outcome<std::string> text_field(const Json& document, const TextField& field);
[[nodiscard]] Outcome<bool> flag_field(const Json& document, const char* name);

}  // namespace unscatter::service
