// One request as JSON, both ways (docs/receipts.md, "Requests").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/store/request_text.h"

namespace unscatter {

// Text from outside as it may stand in a message: short, in quotes, printable.
[[nodiscard]] std::string quoted_excerpt(std::string_view text);

// An id in its one spelling: a JSON string, or {"bytes":"<hexadecimal digits>"} if it is not UTF-8 and so cannot be a
// string.  Different ids have different spellings.
[[nodiscard]] std::string id_json(const std::string& id);

// One line of a list.
struct ListedRequest {
  RemovalRequest request;
  std::string kept;  // fields of the user's own that were asked for, a JSON object; empty if there are none
};
// One object.  With `own` it may have fields of the user's own, and those in `own` are kept.  It may then also be an
// opening, which stands for its request.  Without `own`: as parse_request().  Errors: kMalformedInput.
[[nodiscard]] Result<ListedRequest> parse_json_request(std::string_view text, const std::vector<std::string>* own);

// One line of openings.  Errors: kMalformedInput.
[[nodiscard]] Result<Opening> parse_opening(std::string_view line);

}  // namespace unscatter
