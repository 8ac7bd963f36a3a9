// How often predicted classes are right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unscatter/graph/dataset.h"

namespace unscatter::experiment {

// predictions[i] is the class that was predicted for the graph graphs[i].  There is at least one graph.
[[nodiscard]] double percent_right(std::span<const std::uint32_t> predictions, const Dataset& dataset,
                                   std::span<const std::size_t> graphs);

}  // namespace unscatter::experiment
