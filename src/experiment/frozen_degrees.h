// Degrees as the paper's program treats them.
#pragma once

#include "unscatter/graph/dataset.h"

namespace unscatter {

// Whether "auto" features are degrees: there are neither labels nor attributes.
[[nodiscard]] bool has_only_degrees(const Dataset& dataset);

// Every node labelled with its degree as it is now.  The paper's synthetic features are degrees taken once: removing a
// node zeroes its own row and leaves the neighbours' as they were.  Degrees written into the labels behave like that;
// the sound default derives them from the graph as it is.  Names and class labels are kept, everything else but the
// edges goes.
[[nodiscard]] Dataset with_frozen_degrees(const Dataset& dataset);

}  // namespace unscatter
