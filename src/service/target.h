// The target of a request, taken apart: path segments and query, decoded.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "service/outcome.h"

namespace unscatter::service {

struct Target {
  std::vector<std::string> path;             // {"v1", "requests"}
  std::map<std::string, std::string> query;  // each name once
};

// Takes origin form only ("/..."), with a segment between every two slashes.  Each segment is decoded after the path was
// cut, so %2F is a character and never a separator.  400: other forms; "." and ".." in any spelling; percent signs
// without two digits; control characters; names of the query that occur twice.
[[nodiscard]] Outcome<Target> parse_target(std::string_view text);

}  // namespace unscatter::service
