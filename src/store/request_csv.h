// Lists of requests as CSV (docs/receipts.md, "Lists").
#pragma once

#include <cstddef>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/store/request_text.h"

namespace unscatter {

// Does a first line name at least one field of a request?
[[nodiscard]] bool is_csv_header(std::string_view line);

// Adds every request of `text` to `file`, and every line that is none.  It stops after `most_wrong` wrong lines.
// Errors: kMalformedInput if the header is wrong.
[[nodiscard]] Status scan_csv(std::string_view text, const ListReading& how, std::size_t most_wrong, RequestFile& file);

}  // namespace unscatter
