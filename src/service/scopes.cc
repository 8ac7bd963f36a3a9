#include "service/scopes.h"

#include <algorithm>

namespace unscatter::service {

std::string Scopes::text() const {
  std::string text;
  for (const auto& [scope, name] : kScopes) {
    if (!has(scope)) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

Result<Scopes> parse_scopes(std::string_view text) {
  Scopes scopes;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    const auto found = std::find_if(kScopes.begin(), kScopes.end(), [&](const auto& one) { return one.second == word; });
    if (found == kScopes.end() || scopes.has(found->first)) {
      return Error{ErrorCode::kInvalidArgument,
                   "scopes are submit, operate, read and predict, each at most once, with commas between them"};
    }
    scopes.add(found->first);
    if (comma == std::string_view::npos) return scopes;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace unscatter::service
