#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "store/request_fields.h"
#include "store/request_json.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// Receives the parser's events.  A tree would keep the last of two equal fields and drop the first in silence: somebody
// could read another request than the one that is honoured.  Its memory would also grow with the nesting of a hostile
// text.  Every handler returns false to stop, with message_ set.
//
// Without `own` every field must be a known one.  With it there may be others, which are passed over.  The values of
// those that are asked for are kept.
class RequestHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit RequestHandler(const std::vector<std::string>* own) : own_(own) {}

  // Once the whole text has been parsed.
  Result<RemovalRequest> finish() {
    if (!message_.empty()) return Error{ErrorCode::kMalformedInput, message_};
    UNSCATTER_TRY(request, make_request(std::move(values_)));
    if (!part_.empty() && std::holds_alternative<ForgetGraph>(request)) {
      return Error{ErrorCode::kMalformedInput, part_words(part_)};
    }
    return request;
  }
  // The text is one that opens a commitment: it holds a request, and is none.
  [[nodiscard]] bool is_opening() const { return is_opening_; }
  // A JSON object.  Empty if no field was kept.
  [[nodiscard]] std::string kept() const { return kept_.empty() ? "" : fmt::format("{{{}}}", fmt::join(kept_, ",")); }

  bool null() override { return in_own() ? own_value("null") : refuse("null"); }
  bool boolean(bool value) override {
    const char* const word = value ? "true" : "false";
    return in_own() ? own_value(word) : refuse(word);
  }
  bool binary(binary_t&) override { return refuse("binary data"); }
  // Only numbers with a minus sign come here.  The parser has another event for the others.
  bool number_integer(number_integer_t value) override {
    return in_own() ? own_value(std::to_string(value)) : refuse(std::to_string(value));
  }
  // 1.0 is refused too: a second spelling of a number would be a second commitment.
  bool number_float(number_float_t, const string_t& text) override {
    return in_own() ? own_value(text) : refuse(quoted_excerpt(text));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (in_own()) return own_value(std::to_string(value));
    const bool wanted = depth_ == 1 && field_ != RequestField::kForget && field_ != RequestField::kId;
    if (!wanted || value > std::numeric_limits<std::size_t>::max()) return refuse(std::to_string(value));
    return set(static_cast<std::size_t>(value));
  }
  bool string(string_t& value) override {
    if (in_own()) return own_value(id_json(value));
    if (depth_ == 0) return refuse(quoted_excerpt(value));
    if (depth_ == 2) return set_bytes(value);
    if (value.empty()) return fail(fmt::format("\"{}\" is empty", field_name()));
    return set(std::move(value));
  }

  bool start_object(std::size_t) override {
    if (in_own()) return deeper();
    // Two levels are all that a request has.  Deeper nesting ends the parsing at once.
    if (depth_ == 2 || (depth_ == 1 && field_ == RequestField::kForget)) return refuse("an object");
    ++depth_;
    has_bytes_ = false;
    return true;
  }
  bool end_object() override {
    if (in_own()) return shallower();
    --depth_;
    return depth_ == 0 || has_bytes_ || fail(fmt::format("\"{}\": \"bytes\" is missing", field_name()));
  }
  bool start_array(std::size_t) override { return in_own() ? deeper() : refuse("a list"); }
  bool end_array() override { return in_own() ? shallower() : true; }
  bool key(string_t& name) override {
    if (in_own()) return true;  // within a value that is passed over
    if (depth_ == 2) return bytes_key(name);
    for (std::size_t i = 0; i < kRequestFields.size(); ++i) {
      if (name != kRequestFields[i]) continue;
      // Other readers of the same line might take the other value.
      if (values_[i].has_value()) return fail(fmt::format("\"{}\" occurs twice", name));
      field_ = static_cast<RequestField>(i);
      return true;
    }
    return other_key(name);
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    // A number too large for a double comes here too, as error 406.  Everything else is broken syntax.
    return fail(error.id == 406 ? fmt::format("byte {}: a number too large", position)
                                : fmt::format("byte {}: not valid JSON", position));
  }

 private:
  [[nodiscard]] std::string_view field_name() const { return kRequestFields[static_cast<std::size_t>(field_)]; }
  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool refuse(std::string_view value) {
    if (depth_ == 0) return fail(fmt::format("{} instead of an object; a line is one object", value));
    const bool text_only = field_ == RequestField::kForget || field_ == RequestField::kId;
    return fail(fmt::format("\"{}\": {} is {}", field_name(), value,
                            text_only ? "not a text" : "neither a number from 0 nor a text"));
  }
  bool set(RequestValue value) {
    values_[static_cast<std::size_t>(field_)] = std::move(value);
    return true;
  }

  // Not one of the known fields.
  bool other_key(const std::string& name) {
    is_opening_ = own_ != nullptr && name == "commitment";
    if (is_opening_) return fail("this is an opening");
    const std::string_view meant = slip_of_field(name);
    if (!meant.empty()) return fail(slip_words(name, meant));
    if (own_ == nullptr) return fail(fmt::format("unknown field {}", quoted_excerpt(name)));
    if (part_.empty() && names_a_part(name)) part_ = name;
    own_name_ = name;
    in_own_ = true;
    return true;
  }
  [[nodiscard]] bool in_own() const { return in_own_; }
  bool own_value(const std::string& json) {
    if (own_depth_ > 0) return true;
    in_own_ = false;
    if (!is_kept()) return true;
    const std::string name = id_json(own_name_) + ":";
    for (const std::string& field : kept_) {
      if (field.starts_with(name)) return fail(fmt::format("{} occurs twice", quoted_excerpt(own_name_)));
    }
    kept_.push_back(name + json);
    return true;
  }
  // Lists and objects are passed over, as far as anybody nests them.
  bool deeper() {
    constexpr std::size_t kDeepest = 64;
    if (is_kept()) {
      return fail(
          fmt::format("{}: a list or an object cannot be kept; give a text or a number", quoted_excerpt(own_name_)));
    }
    if (own_depth_ == kDeepest) return fail(fmt::format("{}: nested too deeply", quoted_excerpt(own_name_)));
    ++own_depth_;
    return true;
  }
  bool shallower() {
    --own_depth_;
    in_own_ = own_depth_ > 0;
    return true;
  }
  [[nodiscard]] bool is_kept() const { return std::find(own_->begin(), own_->end(), own_name_) != own_->end(); }

  bool bytes_key(std::string_view name) {
    if (name != "bytes") return fail(fmt::format("\"{}\": unknown field {}", field_name(), quoted_excerpt(name)));
    if (has_bytes_) return fail(fmt::format("\"{}\": \"bytes\" occurs twice", field_name()));
    has_bytes_ = true;
    return true;
  }
  // Only for what cannot be a text.  With two spellings of one id, a salt would open a commitment for one of them only.
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

  RequestValues values_;
  std::string message_;
  RequestField field_ = RequestField::kForget;
  int depth_ = 0;  // 1 inside the object, 2 inside {"bytes": ...}
  bool has_bytes_ = false;
  bool is_opening_ = false;
  const std::vector<std::string>* own_;  // fields of the user's own that are kept; null: there are none
  std::string own_name_;                 // of the field in hand
  bool in_own_ = false;
  std::size_t own_depth_ = 0;
  std::string part_;               // the first field that might name a part of a graph
  std::vector<std::string> kept_;  // "name":value, in their order
};

}  // namespace

Result<RemovalRequest> parse_request(std::string_view text) {
  UNSCATTER_TRY(listed, parse_json_request(text, nullptr));
  return std::move(listed.request);
}

Result<ListedRequest> parse_json_request(std::string_view text, const std::vector<std::string>* own) {
  // The parser takes a zero byte for the end and would pass over what follows.  A list could then hide text from those
  // who honour it.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return Error{ErrorCode::kMalformedInput, fmt::format("byte {}: not valid JSON", zero + 1)};
  }
  RequestHandler handler(own);
  static_cast<void>(nlohmann::json::sax_parse(text.begin(), text.end(), &handler));  // its verdict is in the handler
  if (handler.is_opening()) {
    UNSCATTER_TRY(opening, parse_opening(text));
    return ListedRequest{std::move(opening.request), ""};
  }
  UNSCATTER_TRY(request, handler.finish());
  return ListedRequest{std::move(request), handler.kept()};
}

}  // namespace unscatter
