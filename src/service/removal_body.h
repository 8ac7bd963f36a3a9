// Removal requests that clients send.
#pragma once

#include <cstddef>
#include <vector>

#include "service/json_body.h"
#include "service/outcome.h"
#include "unscatter/unlearn/request.h"

namespace unscatter::service {

inline constexpr std::size_t kMostRequests = 1000;  // of one body

// One object as docs/receipts.md describes.  422 with a sentence that repeats nothing of it.
[[nodiscard]] Outcome<RemovalRequest> removal_of(const Json& document);
// The list `requests` of `document`: 1 to kMostRequests.  A refusal names the place of the wrong one.
[[nodiscard]] Outcome<std::vector<RemovalRequest>> removals_of(const Json& document);

}  // namespace unscatter::service
