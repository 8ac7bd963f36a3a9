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

constexpr std::size_t kRequestFileLimit = std::size_t{1} << 30;
constexpr std::size_t kRequestLineLimit = std::size_t{1} << 20;

std::string key_json(const std::variant<std::size_t, std::string>& key) {
  if (const auto* id = std::get_if<std::string>(&key)) return id_json(*id);
  return std::to_string(std::get<std::size_t>(key));
}

// Keys in alphabetical order.
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

}  // namespace

std::string quoted_excerpt(std::string_view text) {
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
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.size() > kRequestLineLimit) {
      return Error{ErrorCode::kLimitExceeded, fmt::format("{}:{}: a line of {} bytes", name, number, line.size())};
    }
    if (is_blank_line(line)) continue;
    Result<RemovalRequest> request = parse_request(line);
    if (!request.ok())
      return Error{request.error().code, fmt::format("{}:{}: {}", name, number, request.error().message)};
    file.requests.push_back(std::move(*request));
    file.lines.push_back(number);
  }
  return file;
}

Result<RequestFile> read_requests(const std::filesystem::path& path) {
  UNSCATTER_TRY(text, read_file(path, kRequestFileLimit));
  return parse_requests(text, path.string());
}

Digest commitment(const RemovalRequest& request, const Salt& salt) {
  return Hasher(salt).add(std::string_view("unscatter request 1")).add(request_text(request)).finish();
}

}  // namespace unscatter
