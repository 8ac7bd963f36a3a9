// A request of the queue as JSON.
#pragma once

#include <cstdint>

#include "service/json_body.h"
#include "unscatter/store/queued_request.h"

namespace unscatter::service {

// `now`: seconds since 1970.  A request that is final shows no name: the queue has none any more.
[[nodiscard]] Json request_json(const QueuedRequest& request, std::int64_t now);

}  // namespace unscatter::service
