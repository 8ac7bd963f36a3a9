#include "service/assets.h"

#include <algorithm>
#include <array>
#include <utility>

#include "service/published.h"

namespace unscatter::service {
namespace {

constexpr std::array kTypes = {
    std::pair{std::string_view(".html"), "text/html; charset=utf-8"},
    std::pair{std::string_view(".js"), "text/javascript; charset=utf-8"},
    std::pair{std::string_view(".css"), "text/css; charset=utf-8"},
    std::pair{std::string_view(".svg"), "image/svg+xml"},
    std::pair{std::string_view(".png"), "image/png"},
    std::pair{std::string_view(".ico"), "image/x-icon"},
    std::pair{std::string_view(".woff2"), "font/woff2"},
    std::pair{std::string_view(".wasm"), "application/wasm"},
    std::pair{std::string_view(".json"), "application/json"},
    std::pair{std::string_view(".webmanifest"), "application/manifest+json"},
    std::pair{std::string_view(".txt"), "text/plain; charset=utf-8"},
};

std::string type_of(std::string_view path) {
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

std::string joined(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& segment : path) text += (text.empty() ? "" : "/") + segment;
  return text;
}

const Asset* find_asset(std::string_view path) {
  const auto all = embedded_assets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Asset& one) { return one.path == path; });
  return found == all.end() ? nullptr : &*found;
}

HttpResponse page_without_assets() {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>unscatter</title>\n"
      "<h1>unscatter</h1>\n<p>The service runs. This program was built without its page: <code>make web</code> builds "
      "it. The interface is described by <a href=\"/v1/openapi.json\">/v1/openapi.json</a>.</p></html>\n";
  return response;
}

}  // namespace

// What the page shows stands behind a #, so the page itself has one address.
bool is_asset(const std::vector<std::string>& path) { return path.empty() || find_asset(joined(path)) != nullptr; }

Outcome<HttpResponse> get_asset(std::string_view method, const std::vector<std::string>& path) {
  if (method != "GET") return Refusal{.status = 405, .detail = "The page can only be read.", .allow = "GET, HEAD"};
  const Asset* asset = find_asset(path.empty() ? "index.html" : joined(path));
  if (asset == nullptr) return page_without_assets();
  HttpResponse response;
  response.content_type = type_of(asset->path);
  response.body = asset->content;
  response.headers.emplace_back("ETag", etag_of(asset->content));
  // Files in assets/ have a digest of their content in their names, so they never change.
  const bool named_by_content = asset->path.starts_with("assets/");
  response.headers.emplace_back("Cache-Control", named_by_content ? "public, max-age=31536000, immutable" : "no-cache");
  return response;
}

}  // namespace unscatter::service
