// A number as weights on equally spaced centres, by linear interpolation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "unscatter/embedding/feature_map.h"

namespace unscatter {

// Appends the one or two channels whose centres are next to `place`.  Their values are >= 0 and sum to 1.  A place
// outside of [low, high] counts as the nearer end.  `centres` >= 2.
inline void emit_hats(double place, double low, double high, std::size_t centres, NodeIndex node,
                      std::uint32_t first_channel, std::vector<FeatureEntry>& entries) {
  const double step = (high - low) / static_cast<double>(centres - 1);
  const double t = (std::clamp(place, low, high) - low) / step;
  // The last centre has no right neighbour.  Rounding may also put t a little beyond it.
  const std::size_t left = std::min(static_cast<std::size_t>(t), centres - 2);
  const double right_share = std::min(t - static_cast<double>(left), 1.0);
  const std::uint32_t channel = first_channel + static_cast<std::uint32_t>(left);
  if (right_share < 1) entries.push_back({node, channel, 1 - right_share});
  if (right_share > 0) entries.push_back({node, channel + 1, right_share});
}

}  // namespace unscatter
