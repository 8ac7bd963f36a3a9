#include "unscatter/store/request_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/files.h"
#include "base/hex.h"
#include "store/request_json.h"

namespace unscatter {
namespace {

// Far above any list in use.  A file beyond them is a mistake or an attack, and is refused before it takes all memory
// (docs/receipts.md, "Requests").
constexpr std::size_t kRequestFileLimit = std::size_t{1} << 30;
constexpr std::size_t kRequestLineLimit = std::size_t{1} << 20;

std::string key_json(const std::variant<std::size_t, std::string>& key) {
  if (const auto* id = std::get_if<std::string>(&key)) return id_json(*id);
  return std::to_string(std::get<std::size_t>(key));
}

// The one spelling, keys in alphabetical order.  Commitments are made of it, so it never changes: a receipt from today
// must open with the library of tomorrow.
struct SpellRequest {
  std::string operator()(const ForgetFeatures& r) const {
    return fmt::format(R"({{"forget":"features","graph":{},"node":{}}})", key_json(r.graph), key_json(r.node));
  }
  std::string operator()(const ForgetNode& r) const {
    return fmt::format(R"({{"forget":"node","graph":{},"node":{}}})", key_json(r.graph), key_json(r.node));
  }
  std::string operator()(const ForgetEdge& r) const {
    return fmt::format(R"({{"forget":"edge","from":{},"graph":{},"to":{}}})", key_json(r.from), key_json(r.graph),
                       key_json(r.to));
  }
  std::string operator()(const ForgetGraph& r) const {
    return fmt::format(R"({{"forget":"graph","graph":{}}})", key_json(r.graph));
  }
  std::string operator()(const ForgetSubject& r) const {
    return fmt::format(R"({{"forget":"subject","id":{}}})", id_json(r.id));
  }
};

Result<Opening> parse_opening(std::string_view line) {
  try {
    const auto document = nlohmann::json::parse(line);
    Opening opening;
    UNSCATTER_TRY(committed, parse_digest(document.at("commitment").get<std::string>()));
    opening.commitment = committed;
    opening.entry = document.at("entry").get<std::size_t>();
    UNSCATTER_TRY(request, parse_request(document.at("request").dump()));
    opening.request = std::move(request);
    UNSCATTER_TRY(salt, parse_salt(document.at("salt").get<std::string>()));
    opening.salt = salt;
    // A line that opens nothing would be a request that nobody made.
    if (commitment(opening.request, opening.salt) != opening.commitment) {
      return Error{ErrorCode::kMalformedInput, "request and salt do not give this commitment"};
    }
    return opening;
  } catch (const nlohmann::json::exception&) {
    return Error{ErrorCode::kMalformedInput, "this is no opening: commitment, entry, request and salt"};
  }
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Calls visit(line, number) for every line that is not blank.  Its errors get the name of the text and the number in
// front.  Errors: kLimitExceeded for a line that is too long; those of `visit`.
template <typename Visit>
Status visit_lines(std::string_view text, std::string_view name, const Visit& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.size() > kRequestLineLimit) {
      return Error{ErrorCode::kLimitExceeded, fmt::format("{}:{}: a line of {} bytes", name, number, line.size())};
    }
    if (is_blank_line(line)) continue;
    const Status status = visit(line, number);
    if (!status.ok()) {
      return Error{status.error().code, fmt::format("{}:{}: {}", name, number, status.error().message)};
    }
  }
  return ok_status();
}

}  // namespace

std::string quoted_excerpt(std::string_view text) {
  // A text from outside may be a megabyte long, or hold codes that a terminal obeys.
  constexpr std::size_t kLongest = 40;
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) result += c >= ' ' && c <= '~' ? c : '?';
  result += text.size() > kLongest ? "...'" : "'";
  return result;
}

std::string id_json(const std::string& id) {
  try {
    return nlohmann::json(id).dump();
  } catch (const nlohmann::json::type_error&) {  // not UTF-8
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(id.data()), id.size());
    return fmt::format(R"({{"bytes":"{}"}})", to_hex(bytes));
  }
}

std::string request_text(const RemovalRequest& request) { return std::visit(SpellRequest(), request); }

Result<RequestFile> parse_requests(std::string_view text, std::string_view name) {
  RequestFile file;
  // One bad line refuses the whole file.  A list that was half understood must not be begun.
  UNSCATTER_CHECK_OK(visit_lines(text, name, [&](std::string_view line, std::size_t number) -> Status {
    UNSCATTER_TRY(request, parse_request(line));
    file.requests.push_back(std::move(request));
    file.lines.push_back(number);
    return ok_status();
  }));
  return file;
}

std::string opening_text(const Opening& opening) {
  // Spelled by hand, because a request has a spelling of its own that a JSON writer need not keep.
  return fmt::format(R"({{"commitment":"{}","entry":{},"request":{},"salt":"{}"}})", opening.commitment.hex(),
                     opening.entry, request_text(opening.request), opening.salt.hex());
}

Result<std::vector<Opening>> parse_openings(std::string_view text, std::string_view name) {
  std::vector<Opening> openings;
  UNSCATTER_CHECK_OK(visit_lines(text, name, [&](std::string_view line, std::size_t /*number*/) -> Status {
    Result<Opening> opening = parse_opening(line);
    if (!opening.ok()) return Error{ErrorCode::kMalformedInput, opening.error().message};
    openings.push_back(*std::move(opening));
    return ok_status();
  }));
  return openings;
}

Result<std::vector<Opening>> read_openings(const std::filesystem::path& path) {
  UNSCATTER_TRY(text, read_file(path, kRequestFileLimit));
  return parse_openings(text, path.string());
}

Result<RequestFile> read_requests(const std::filesystem::path& path) {
  UNSCATTER_TRY(text, read_file(path, kRequestFileLimit));
  return parse_requests(text, path.string());
}

// Keyed with the salt: there are few possible requests, and a plain hash could be tried out for all of them.  The first
// text keeps commitments apart from other hashes under the same key.
Digest commitment(const RemovalRequest& request, const Salt& salt) {
  return Hasher(salt).add(std::string_view("unscatter request 1")).add(request_text(request)).finish();
}

}  // namespace unscatter
