#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "unscatter/store/request_text.h"

namespace unscatter::fuzz {

// The result must be an error that names its place, or requests that read back as the same ones from their one
// spelling.
template <typename Spell>
[[nodiscard]] std::string check_requests(std::string_view text, const Spell& spell) {
  const Result<RequestFile> file = parse_requests(text, "input");
  if (!file.ok())
    return file.error().message.starts_with("input:") ? "" : "an error without its place: " + file.error().message;
  if (file->lines.size() != file->requests.size()) return "requests and lines differ in number";
  std::string spelled;
  for (const RemovalRequest& request : file->requests) spelled.append(spell(request)).append("\n");
  const Result<RequestFile> again = parse_requests(spelled, "again");
  if (!again.ok()) return "its spelling is refused: " + again.error().message;
  std::string spelled_again;
  for (const RemovalRequest& request : again->requests) spelled_again.append(spell(request)).append("\n");
  if (spelled_again != spelled || again->requests.size() != file->requests.size())
    return "its spelling is another request";
  for (std::size_t i = 0; i < again->lines.size(); ++i) {
    if (again->lines[i] != i + 1) return "a line is counted wrongly";
  }
  return "";
}
[[nodiscard]] inline std::string check_requests(std::string_view text) {
  return check_requests(text, [](const RemovalRequest& request) { return request_text(request); });
}

}  // namespace unscatter::fuzz
