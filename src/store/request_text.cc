#include "unscatter/store/request_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/hex.h"
#include "store/correction_json.h"
#include "store/json_fields.h"
#include "store/request_csv.h"
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

// Spreadsheets put it in front of UTF-8.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kMostWrongLines = 100000;
constexpr std::size_t kNamedWrongLines = 100;

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// What a line is that is not JSON on purpose.
bool is_csv(std::string_view text, std::string_view name) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] == '{' || text[start] == '[') return false;
  if (name.ends_with(".csv") || name.ends_with(".CSV") || name.ends_with(".tsv")) return true;
  return is_csv_header(text.substr(0, text.find('\n', start)));
}

Status scan_json_lines(std::string_view text, const ListReading& how, RequestFile& file) {
  for (std::size_t number = 1; !text.empty() && file.wrong.size() <= kMostWrongLines; ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.size() > kRequestLineLimit) {
      const std::string message =
          fmt::format("a line of {} bytes; at most {} are read", line.size(), kRequestLineLimit);
      file.wrong.push_back({number, {ErrorCode::kLimitExceeded, message}});
      continue;
    }
    if (is_blank_line(line)) continue;
    Result<ListedRequest> listed = parse_json_request(line, &how.keep);
    if (!listed.ok()) {
      file.wrong.push_back({number, std::move(listed).error()});
      continue;
    }
    file.requests.push_back(std::move(listed->request));
    file.lines.push_back(number);
    if (!how.keep.empty()) file.kept.push_back(std::move(listed->kept));
  }
  return ok_status();
}

// All wrong lines at once: who mends a list wants to mend it once.
Error wrong_lines_error(const RequestFile& file, std::string_view name) {
  std::string message;
  for (const RequestFile::WrongLine& wrong : std::span(file.wrong).first(std::min(file.wrong.size(), kNamedWrongLines)))
    message += fmt::format("{}{}:{}: {}", message.empty() ? "" : "\n", name, wrong.line, wrong.error.message);
  if (file.wrong.size() > kNamedWrongLines)
    message += fmt::format("\nand {} more wrong lines", file.wrong.size() - kNamedWrongLines);
  return {file.wrong.front().error.code, std::move(message)};
}

Result<RequestFile> all_right(RequestFile file, std::string_view name) {
  // A list that was half understood must not be begun.
  if (!file.wrong.empty()) return wrong_lines_error(file, name);
  return file;
}

}  // namespace

Result<Opening> parse_opening(std::string_view line) {
  try {
    const auto document = nlohmann::json::parse(line);
    Opening opening;
    UNSCATTER_TRY(committed, parse_digest(document.at("commitment").get<std::string>()));
    opening.commitment = committed;
    opening.entry = whole_number(document.at("entry"));
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

Result<NodeKey> parse_key(std::string_view text) {
  // An id that consists of digits needs a way to be named.  A number and an id that look alike are different requests.
  constexpr std::string_view kIdPrefix = "id:";
  const auto wrong = [](std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; };
  const bool forced = text.starts_with(kIdPrefix);
  const std::string_view id = forced ? text.substr(kIdPrefix.size()) : text;
  if (id.empty()) return wrong(fmt::format("{} is neither a number nor an id", quoted_excerpt(text)));
  const bool digits = std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (forced || !digits) return NodeKey(std::string(id));
  std::size_t number = 0;
  // Not taken for an id in silence: somebody meant a number, and another node would be forgotten.
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  if (read.ec != std::errc()) {
    return wrong(fmt::format("{0} is too large for a number; id:{0} would be an external id", text));
  }
  // Spreadsheets drop zeros and people add them.  A guess could forget somebody else.
  if (id.size() > 1 && id.front() == '0') {
    return wrong(fmt::format("'{0}' could be the number {1} or an id; write {1}, or id:{0}", text, number));
  }
  return NodeKey(number);
}

Result<RequestFile> scan_requests(std::string_view text, std::string_view name, const ListReading& how) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return Error{ErrorCode::kMalformedInput, fmt::format("{}:1: this is UTF-16 text; save it as UTF-8", name)};
  }
  if (text.substr(0, 4096).find('\0') != std::string_view::npos) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("{}:1: this is no text; a list is JSON, one object per line, or CSV", name)};
  }
  text = without_mark(text);
  const bool csv = how.format == ListFormat::kCsv || (how.format == ListFormat::kAutomatic && is_csv(text, name));
  RequestFile file;
  const Status status = csv ? scan_csv(text, how, kMostWrongLines, file) : scan_json_lines(text, how, file);
  if (!status.ok()) return Error{status.error().code, fmt::format("{}:1: {}", name, status.error().message)};
  if (file.wrong.size() > kMostWrongLines) {
    const RequestFile::WrongLine& first = file.wrong.front();
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("{}:{}: {}; more than {} other lines are wrong too, so this is no list of requests", name,
                             first.line, first.error.message, kMostWrongLines)};
  }
  return file;
}

Result<RequestFile> scan_request_file(const std::filesystem::path& path, const ListReading& how) {
  UNSCATTER_TRY(text, read_file(path, kRequestFileLimit));
  return scan_requests(text, path.string(), how);
}

Result<RequestFile> parse_requests(std::string_view text, std::string_view name, const ListReading& how) {
  UNSCATTER_TRY(file, scan_requests(text, name, how));
  return all_right(std::move(file), name);
}

Result<RequestFile> read_requests(const std::filesystem::path& path, const ListReading& how) {
  UNSCATTER_TRY(file, scan_request_file(path, how));
  return all_right(std::move(file), path.string());
}

std::string opening_text(const Opening& opening, std::string_view kept) {
  // Spelled by hand, because a request has a spelling of its own that a JSON writer need not keep.
  const std::string fields = kept.empty() ? "" : fmt::format(R"("fields":{},)", kept);
  return fmt::format(R"({{"commitment":"{}","entry":{},{}"request":{},"salt":"{}"}})", opening.commitment.hex(),
                     opening.entry, fields, request_text(opening.request), opening.salt.hex());
}

std::string opening_text(std::size_t entry, const Digest& commitment, std::string_view request, const Salt& salt) {
  return fmt::format(R"({{"commitment":"{}","entry":{},"request":{},"salt":"{}"}})", commitment.hex(), entry, request,
                     salt.hex());
}

Result<std::vector<Opening>> parse_openings(std::string_view text, std::string_view name) {
  std::vector<Opening> openings;
  UNSCATTER_CHECK_OK(visit_lines(text, name, [&](std::string_view line, std::size_t /*number*/) -> Status {
    UNSCATTER_TRY(other, opens_other(line));
    if (other) return ok_status();
    Result<Opening> opening = parse_opening(line);
    if (!opening.ok()) return Error{ErrorCode::kMalformedInput, opening.error().message};
    openings.push_back(*std::move(opening));
    return ok_status();
  }));
  return openings;
}

Result<std::vector<Opening>> read_openings(const std::filesystem::path& path) {
  UNSCATTER_TRY(text, read_file(path, kRequestFileLimit));
  return parse_openings(without_mark(text), path.string());
}

// Keyed with the salt: there are few possible requests, and a plain hash could be tried out for all of them.  The first
// text keeps commitments apart from other hashes under the same key.
Digest commitment(const RemovalRequest& request, const Salt& salt) {
  return commitment_of_text(request_text(request), salt);
}

Digest commitment_of_text(std::string_view text, const Salt& salt) {
  return Hasher(salt).add(std::string_view("unscatter request 1")).add(text).finish();
}

}  // namespace unscatter
