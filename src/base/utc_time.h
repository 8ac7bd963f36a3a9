// Dates and times in UTC: as text, and as seconds since 1970.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

// "2027-03-01", which is the beginning of that day, or "2027-03-01T12:00:00Z" (RFC 3339).  A fraction of a second is
// cut off.  Years go from 1970 to 9999.  Nothing else is read, because a guess could be a day or a month off.  Errors:
// kInvalidArgument, a sentence that quotes the text and says what is read.
[[nodiscard]] Result<std::int64_t> parse_utc(std::string_view text);

// 2027-03-01T12:00:00Z
[[nodiscard]] std::string utc_text(std::int64_t seconds);
// "2027-03-01" for the beginning of a day, and utc_text() otherwise.
[[nodiscard]] std::string short_utc_text(std::int64_t seconds);

// "90d", "2w" or "36h", in seconds: from 1 hour to 1,000 years.  Months and years are not read, because they differ in
// length.  Errors as parse_utc().
[[nodiscard]] Result<std::int64_t> parse_span(std::string_view text);

}  // namespace unscatter
