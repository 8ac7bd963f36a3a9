#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "store/request_json.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using RequestKey = std::variant<std::size_t, std::string>;

enum class RequestField { kForget, kGraph, kNode, kFrom, kTo, kId };
constexpr std::array<std::string_view, 6> kFieldNames = {"forget", "graph", "node", "from", "to", "id"};

struct RequestKind {
  std::string_view name;
  std::array<bool, kFieldNames.size()> takes;  // in the order of kFieldNames
};
constexpr std::array<RequestKind, 5> kRequestKinds = {{{"features", {true, true, true, false, false, false}},
                                                       {"node", {true, true, true, false, false, false}},
                                                       {"edge", {true, true, false, true, true, false}},
                                                       {"graph", {true, true, false, false, false, false}},
                                                       {"subject", {true, false, false, false, false, true}}}};

// Receives the parser's events.  A tree would keep the last of two equal fields and drop the first in silence, and its
// memory would grow with the nesting of a hostile text.  Every handler returns false to stop, with message_ set.
class RequestHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  // Once the whole text has been parsed.
  Result<RemovalRequest> finish() {
    if (!message_.empty()) return malformed(message_);
    if (!values_[0].has_value()) return malformed("\"forget\" is missing");
    const auto& kind = std::get<std::string>(*values_[0]);
    for (const RequestKind& known : kRequestKinds) {
      if (kind == known.name) return finish_as(known);
    }
    return malformed(
        fmt::format("\"forget\": {} is none of features, node, edge, graph, subject", quoted_excerpt(kind)));
  }

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool number_integer(number_integer_t value) override { return refuse(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return refuse(quoted_excerpt(text)); }
  bool number_unsigned(number_unsigned_t value) override {
    const bool wanted = depth_ == 1 && field_ != RequestField::kForget && field_ != RequestField::kId;
    if (!wanted || value > std::numeric_limits<std::size_t>::max()) return refuse(std::to_string(value));
    return set(static_cast<std::size_t>(value));
  }
  bool string(string_t& value) override {
    if (depth_ == 0) return refuse(quoted_excerpt(value));
    if (depth_ == 2) return set_bytes(value);
    if (value.empty()) return fail(fmt::format("\"{}\" is empty", field_name()));
    return set(std::move(value));
  }

  bool start_object(std::size_t) override {
    if (depth_ == 2 || (depth_ == 1 && field_ == RequestField::kForget)) return refuse("an object");
    ++depth_;
    has_bytes_ = false;
    return true;
  }
  bool end_object() override {
    --depth_;
    return depth_ == 0 || has_bytes_ || fail(fmt::format("\"{}\": \"bytes\" is missing", field_name()));
  }
  bool start_array(std::size_t) override { return refuse("a list"); }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (depth_ == 2) return bytes_key(name);
    for (std::size_t i = 0; i < kFieldNames.size(); ++i) {
      if (name != kFieldNames[i]) continue;
      if (values_[i].has_value()) return fail(fmt::format("\"{}\" occurs twice", name));
      field_ = static_cast<RequestField>(i);
      return true;
    }
    return fail(fmt::format("unknown field {}", quoted_excerpt(name)));
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    // Numbers too large for a double come here too; everything else is broken syntax.
    return fail(error.id == 406 ? fmt::format("byte {}: a number too large", position)
                                : fmt::format("byte {}: not valid JSON", position));
  }

 private:
  static Error malformed(std::string message) { return {ErrorCode::kMalformedInput, std::move(message)}; }
  [[nodiscard]] std::string_view field_name() const { return kFieldNames[static_cast<std::size_t>(field_)]; }
  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool refuse(std::string_view value) {
    if (depth_ == 0) return fail(fmt::format("{} instead of an object", value));
    const bool text_only = field_ == RequestField::kForget || field_ == RequestField::kId;
    return fail(fmt::format("\"{}\": {} is {}", field_name(), value,
                            text_only ? "not a text" : "neither a number from 0 nor a text"));
  }
  bool set(RequestKey value) {
    values_[static_cast<std::size_t>(field_)] = std::move(value);
    return true;
  }

  bool bytes_key(std::string_view name) {
    if (name != "bytes") return fail(fmt::format("\"{}\": unknown field {}", field_name(), quoted_excerpt(name)));
    if (has_bytes_) return fail(fmt::format("\"{}\": \"bytes\" occurs twice", field_name()));
    has_bytes_ = true;
    return true;
  }
  // Only for what cannot be a text: one id has one spelling.
  bool set_bytes(std::string_view digits) {
    std::vector<std::uint8_t> bytes(digits.size() / 2);
    if (!from_hex(digits, bytes)) {
      return fail(fmt::format("\"{}\": {} is not pairs of lower-case hexadecimal digits", field_name(),
                              quoted_excerpt(digits)));
    }
    std::string id(bytes.begin(), bytes.end());
    if (id_json(id).front() == '"') {
      return fail(
          fmt::format("\"{}\": {} are the bytes of a text; give it as text", field_name(), quoted_excerpt(digits)));
    }
    return set(std::move(id));
  }

  [[nodiscard]] Result<RemovalRequest> finish_as(const RequestKind& kind) {
    for (std::size_t i = 0; i < kFieldNames.size(); ++i) {
      if (kind.takes[i] && !values_[i].has_value()) {
        return malformed(fmt::format("\"{}\" is missing from a request to forget: {}", kFieldNames[i], kind.name));
      }
      if (!kind.takes[i] && values_[i].has_value()) {
        return malformed(fmt::format("\"{}\" has no place in a request to forget: {}", kFieldNames[i], kind.name));
      }
    }
    const auto value = [this](RequestField field) { return std::move(*values_[static_cast<std::size_t>(field)]); };
    if (kind.name == "subject") return ForgetSubject{std::get<std::string>(value(RequestField::kId))};
    GraphKey graph = value(RequestField::kGraph);
    if (kind.name == "features") return ForgetFeatures{std::move(graph), value(RequestField::kNode)};
    if (kind.name == "node") return ForgetNode{std::move(graph), value(RequestField::kNode)};
    if (kind.name == "edge") return ForgetEdge{std::move(graph), value(RequestField::kFrom), value(RequestField::kTo)};
    return ForgetGraph{std::move(graph)};
  }

  std::array<std::optional<RequestKey>, kFieldNames.size()> values_;
  std::string message_;
  RequestField field_ = RequestField::kForget;
  int depth_ = 0;  // 1 inside the object, 2 inside {"bytes": ...}
  bool has_bytes_ = false;
};

}  // namespace

Result<RemovalRequest> parse_request(std::string_view text) {
  // The parser takes a zero byte for the end and would pass over what follows.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return Error{ErrorCode::kMalformedInput, fmt::format("byte {}: not valid JSON", zero + 1)};
  }
  RequestHandler handler;
  static_cast<void>(nlohmann::json::sax_parse(text.begin(), text.end(), &handler));  // its verdict is in the handler
  return handler.finish();
}

}  // namespace unscatter
