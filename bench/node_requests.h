// Removal requests for measurements.
#pragma once

#include <cstddef>
#include <vector>

#include "unscatter/graph/dataset.h"
#include "unscatter/unlearn/request.h"

namespace unscatter::bench {

// Up to `count` nodes, drawn without repetition (seed 1).  At most half of every graph, so that no graph goes as a
// whole.
[[nodiscard]] std::vector<RemovalRequest> node_requests(const Dataset& dataset, std::size_t count);

}  // namespace unscatter::bench
