// wide-attributes:N  The first N attributes, each spread over 101 channels that are >= 0 and sum to 1.
#include "embedding/features/spread_attributes.h"
#include "embedding/features/wide_scale.h"

namespace unscatter {
namespace {

void spread_widely(double value, NodeIndex node, std::uint32_t first_channel, std::vector<FeatureEntry>& entries) {
  on_wide_scale(value, [&](std::size_t channel, double share) {
    entries.push_back({node, first_channel + static_cast<std::uint32_t>(channel), share});
  });
}

}  // namespace

FeatureBlockOrError make_wide_attributes(std::string_view constants, const FitGraphs* graphs) {
  return make_spread_attributes({"wide-attributes", kWideChannels, spread_widely}, constants, graphs);
}

}  // namespace unscatter
