// The columns of the part `size`, which portrait has too.
#pragma once

#include <cstddef>
#include <span>

#include "embedding/blocks/graph_shape.h"

namespace unscatter {

inline constexpr std::size_t kSizeColumns = 24;
void draw_size(const GraphShape& shape, double share, std::span<double> columns);

}  // namespace unscatter
