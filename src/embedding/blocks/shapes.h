// The columns of the parts `shapes` and `clustering`, which portrait has too, and a number that they rest on.
#pragma once

#include <cstddef>
#include <span>

#include "embedding/blocks/graph_shape.h"

namespace unscatter {

// cc of a node: the share of linked pairs among its neighbours, 0 if there are fewer than two.
[[nodiscard]] double closed_share(GraphShape& shape, std::size_t i);

// centres^3 columns.
void draw_shapes(GraphShape& shape, std::size_t centres, double share, std::span<double> columns);
// centres^2 * closed_centres columns.
void draw_clustering(GraphShape& shape, std::size_t centres, std::size_t closed_centres, double share,
                     std::span<double> columns);

}  // namespace unscatter
