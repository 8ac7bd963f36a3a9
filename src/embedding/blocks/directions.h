// The columns of the parts `directions` and `weights`, which portrait has too.
#pragma once

#include <cstddef>
#include <span>

#include "embedding/blocks/graph_shape.h"

namespace unscatter {

// centres^2 columns each; nothing for a graph without directions.
void draw_directions(GraphShape& shape, std::size_t centres, double share_of_nodes, double share_of_edges,
                     std::span<double> nodes, std::span<double> edges);
// Three times kWideChannels columns (features/wide_scale.h); nothing for a graph without weights.
void draw_weights(GraphShape& shape, double share, std::span<double> columns);

}  // namespace unscatter
