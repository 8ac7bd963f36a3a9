#include "service/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "service/gzip.h"
#include "service/network.h"
#include "service/problem.h"
#include "service/published.h"

namespace unscatter::service {
namespace {

constexpr std::size_t kWorthPacking = 1024;
// Scripts, styles and pictures come from this server only; nobody may put the page into a frame.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src "
    "'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string* header_of(HttpResponse& response, std::string_view name) {
  for (auto& [key, value] : response.headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool may_pack(HttpResponse& response) {
  const std::string_view type = response.content_type;
  return response.body.size() > kWorthPacking && header_of(response, "Set-Cookie") == nullptr &&
         (type.starts_with("application/json") || type.starts_with("text/") || type.starts_with("application/java") ||
          type == "image/svg+xml" || type == "application/problem+json");
}

void pack(const HttpRequest& request, HttpResponse& response) {
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const auto accepted = request.list_header("accept-encoding");
  if (!accepted || !accepts_gzip(*accepted)) return;
  // Other bytes than without the coding, so the tag is weak.
  if (std::string* tag = header_of(response, "ETag")) tag->insert(0, "W/");
  if (response.status == 304) return;
  if (auto packed = network().gzipped(response.body)) {
    response.body = *std::move(packed);
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
}

}  // namespace

bool has_tag(std::string_view list, std::string_view tag, bool weak) {
  if (list == "*") return true;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, comma);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (weak && one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag) return true;
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return false;
}

void Call::finish(Outcome<HttpResponse> outcome) {
  if (std::exchange(finished_, true)) return;
  HttpResponse response = outcome.ok() ? std::move(outcome).value() : problem(outcome.error());
  response.route = route;
  response.token = principal.token;
  complete(request, response);
  answer(std::move(response));
}

HttpResponse json_response(const Json& document, int status) {
  HttpResponse response;
  response.status = status;
  response.body = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  return response;
}

HttpResponse tagged_response(const Json& document) {
  HttpResponse response = json_response(document);
  response.headers.emplace_back("ETag", etag_of(response.body));
  return response;
}

void complete(const HttpRequest& request, HttpResponse& response) {
  const std::string* tag = header_of(response, "ETag");
  const auto wanted = request.list_header("if-none-match");
  const bool packable = may_pack(response);
  if (tag != nullptr && wanted && response.status == 200 && request.method == "GET" && has_tag(*wanted, *tag, true)) {
    response.status = 304;
    response.body.clear();
  }
  const bool tagged = tag != nullptr;
  if (packable) pack(request, response);
  if (header_of(response, "Cache-Control") == nullptr) {
    // With a tag an answer may be kept and has to be asked about.  Everything else may be about people.
    response.headers.emplace_back("Cache-Control", tagged ? "private, no-cache" : "no-store");
  }
  response.headers.emplace_back("Content-Security-Policy", kContentPolicy);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("X-Frame-Options", "DENY");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  response.headers.emplace_back("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
  if (request.secure) response.headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
}

Outcome<std::int64_t> number_query(const Target& target, const NumberQuery& query) {
  const auto found = target.query.find(query.name);
  if (found == target.query.end()) return query.usual;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < query.lowest || number > query.highest) {
    return Refusal{.status = 400,
                   .detail = fmt::format("'{}' is a number from {} to {}.", query.name, query.lowest, query.highest)};
  }
  return number;
}

Outcome<bool> flag_query(const Target& target, const char* name) {
  const auto found = target.query.find(name);
  if (found == target.query.end() || found->second == "false") return false;
  if (found->second == "true") return true;
  return Refusal{.status = 400, .detail = fmt::format("'{}' is true or false.", name)};
}

std::optional<Refusal> check_query(const Target& target, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : target.query) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return Refusal{.status = 400,
                   .detail = names.size() == 0 ? std::string("There is no query here.")
                                               : fmt::format("The query has an unknown name; known are: {}.",
                                                             fmt::join(names, ", "))};
  }
  return std::nullopt;
}

}  // namespace unscatter::service
