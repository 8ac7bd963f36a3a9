// Degrees as the paper's program treats them.
#pragma once

#include "unscatter/graph/dataset.h"

namespace unscatter {

// True if "paper" features are degrees: there are neither labels nor attributes.
[[nodiscard]] bool has_only_degrees(const Dataset& dataset);

// Every node gets its present degree as a label.  The paper's synthetic features are degrees that are taken once:
// removing a node zeroes its own row and leaves those of its neighbours as they were.  Degrees that are written into
// labels behave like that.  The sound default derives degrees from the graph as it is.  Names and class labels are
// kept.  Everything else but the edges goes.
[[nodiscard]] Dataset with_frozen_degrees(const Dataset& dataset);

}  // namespace unscatter
