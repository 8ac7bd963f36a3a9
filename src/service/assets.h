// The page: files of web/dist, which the build puts into the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/http_message.h"
#include "service/outcome.h"

namespace unscatter::service {

struct Asset {
  std::string_view path;  // "assets/index-1a2b.js"
  std::string_view content;
};
// Written by cmake/embed_files.cmake; empty if there is no web/dist.
[[nodiscard]] std::span<const Asset> embedded_assets();
// docs/openapi.json
[[nodiscard]] std::string_view embedded_openapi();

// May a file of the page be meant?  Everything but /v1.
[[nodiscard]] bool is_asset(const std::vector<std::string>& path);
// A path without a dot is a view of the page, which index.html shows.  404 for other files that are not there.
[[nodiscard]] Outcome<HttpResponse> get_asset(std::string_view method, const std::vector<std::string>& path);

}  // namespace unscatter::service
