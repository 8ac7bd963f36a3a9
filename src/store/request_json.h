// One request as JSON, both ways (docs/receipts.md, "Requests").
#pragma once

#include <string>
#include <string_view>

namespace unscatter {

// Text from outside as it may stand in a message: short, in quotes, printable.
[[nodiscard]] std::string quoted_excerpt(std::string_view text);

// An id in its one spelling: a JSON string, or {"bytes":"<hexadecimal digits>"} if it is not UTF-8 and so cannot be a
// string.  Different ids have different spellings.
[[nodiscard]] std::string id_json(const std::string& id);

}  // namespace unscatter
