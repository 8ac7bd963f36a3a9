// The removals of a sequence, and the places where it is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiment/task.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/unlearn/request.h"

namespace unscatter::experiment {

// One removal from each of `count` training graphs in random order, the same for every method.  If edges are removed,
// graphs without an edge are left out, so there may be fewer.
[[nodiscard]] std::vector<RemovalRequest> random_removals(const Dataset& train, RemovalKind kind, std::size_t count,
                                                          std::uint64_t seed);

// At most `points` places in 1 .. count, evenly spaced and with the last one.
[[nodiscard]] std::vector<std::size_t> sampled_places(std::size_t count, std::size_t points);

}  // namespace unscatter::experiment
