#include "service/json_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace unscatter::service {
namespace {

constexpr int kDeepest = 32;

// Ends the parser from inside of its callback, which cannot say no.
struct Stop {
  const char* detail;
};

// Looks at what the parser finds.  Other readers of the same text might take the other one of two equal names.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepest) throw Stop{"The JSON is nested too deeply."};
    if (event == Json::parse_event_t::object_start) names_.emplace_back();
    if (event == Json::parse_event_t::object_end) names_.pop_back();
    if (event == Json::parse_event_t::key && !names_.back().insert(parsed.get<std::string>()).second) {
      throw Stop{"A name occurs twice in an object."};
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> names_;
};

bool is_json_type(std::string_view type) {
  const std::string_view essence = type.substr(0, type.find(';'));
  std::string lower;
  for (const char byte : essence) {
    if (byte != ' ' && byte != '\t') lower.push_back(byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte);
  }
  return lower == "application/json";
}

}  // namespace

Outcome<Json> parse_json(std::string_view text) {
  // The parser takes a zero byte for the end of the text.
  if (text.find('\0') != std::string_view::npos) return Refusal{.status = 400, .detail = "The body is not JSON."};
  try {
    Watch watch;
    return Json::parse(text.begin(), text.end(), std::ref(watch));
  } catch (const Stop& stop) {
    return Refusal{.status = 400, .detail = stop.detail};
  } catch (const Json::exception&) {
    return Refusal{.status = 400, .detail = "The body is not JSON."};
  }
}

Outcome<Json> json_body(const HttpRequest& request) {
  const auto type = request.header("content-type");
  if (!type || !is_json_type(*type)) {
    return Refusal{.status = 415, .detail = "The body has to be JSON, with Content-Type: application/json."};
  }
  const auto coding = request.list_header("content-encoding");
  if (coding && *coding != "identity") {
    return Refusal{.status = 415, .detail = "The body has to come as it is, without a Content-Encoding."};
  }
  return parse_json(request.body);
}

Outcome<Json> optional_json_body(const HttpRequest& request) {
  if (request.body.empty()) return Json::object();
  return json_body(request);
}

std::optional<Refusal> check_fields(const Json& document, std::initializer_list<std::string_view> names) {
  if (!document.is_object()) return Refusal{.status = 422, .detail = "The body has to be a JSON object."};
  for (const auto& item : document.items()) {
    if (std::find(names.begin(), names.end(), item.key()) != names.end()) continue;
    return Refusal{.status = 422,
                   .detail = fmt::format("There is an unknown field; known are: {}.", fmt::join(names, ", "))};
  }
  return std::nullopt;
}

Outcome<std::string> text_field(const Json& document, const TextField& field) {
  const auto found = document.find(field.name);
  if (found == document.end()) {
    if (!field.required) return std::string();
    return Refusal{.status = 422, .detail = fmt::format("The field '{}' is missing.", field.name)};
  }
  if (!found->is_string()) {
    return Refusal{.status = 422, .detail = fmt::format("The field '{}' has to be a text.", field.name)};
  }
  auto text = found->get<std::string>();
  if (text.size() > field.longest || (field.required && text.empty())) {
    return Refusal{.status = 422,
                   .detail = fmt::format("The field '{}' has from 1 to {} bytes.", field.name, field.longest)};
  }
  return text;
}

Outcome<bool> flag_field(const Json& document, const char* name) {
  const auto found = document.find(name);
  if (found == document.end()) return false;
  if (!found->is_boolean()) {
    return Refusal{.status = 422, .detail = fmt::format("The field '{}' has to be true or false.", name)};
  }
  return found->get<bool>();
}

}  // namespace unscatter::service
