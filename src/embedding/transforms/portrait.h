// What a graph looks like, as histograms side by side.  It uses all that a graph has: size, structure, directions,
// weights, labels, and the channels of the features.
//
//   size        cos and sin of t ln(1+n), t ln(1+m), t ln(1+2m/n) for t = 1/4, 1/2, 1, 2; n nodes, m edges
//   structure   nodes by (degree, mean degree of neighbours, mean of that over neighbours), all logarithmic
//   clustering  nodes by (degree, mean degree of neighbours, share of linked pairs among neighbours)
//   directions  nodes by (in-degree, out-degree), edges by (out-degree of their start, in-degree of their end)
//   weights     edges by weight, nodes by the sum of weights that come in and that go out (features/wide_scale.h)
//   kinds       nodes counted by (degree, triangles, core number); by (in-degree, out-degree, mutual edges) if
//   directed;
//               and by labels up to two steps away if there are labels.  1024 columns that hashes share
//   channels    the features' channels, as means over nodes, over starts of edges and over ends of edges, and as counts
//
// A histogram h becomes sqrt(h / sum h), which has norm 1.  Counts h become v / sqrt(|v|^2 + 60) with v = ln(1 + h),
// which has a norm below 1 and still knows how many there are.  A part has a weight w, and its columns are multiplied
// by sqrt(w / sum of all weights).  So |z| <= 1 holds up to rounding, for every graph.  A part that a graph lacks is 0.
//
// Structure is that of the graph without directions.  A node whose features were removed counts in structure, and has
// no label and no channel.  A tombstone counts nowhere.  Cost: O(n + m sqrt(m)) for the triangles; all else is linear.
#pragma once

#include <memory>

#include "unscatter/embedding/transform.h"

namespace unscatter {

[[nodiscard]] std::unique_ptr<Transform> make_portrait();

}  // namespace unscatter
