// Blocks that spread each of the first N attributes over channels of its own: soft-attributes and wide-attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "embedding/features/registry.h"

namespace unscatter {

// How one attribute becomes channels that are >= 0 and sum to 1.
struct AttributeScale {
  std::string_view name;     // of the block
  std::size_t channels = 0;  // per attribute
  // Appends the channels of `value` that are not zero, numbered from `first_channel` on.
  void (*spread)(double value, NodeIndex node, std::uint32_t first_channel, std::vector<FeatureEntry>& entries);
};

// `constants` is N, or empty: the largest number of attributes of a graph among `graphs`.
[[nodiscard]] FeatureBlockOrError make_spread_attributes(const AttributeScale& scale, std::string_view constants,
                                                         const FitGraphs* graphs);

}  // namespace unscatter
