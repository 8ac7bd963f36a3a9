// soft-attributes:N  The first N attributes, each spread over 13 channels that are >= 0 and sum to 1.
#include <cmath>

#include "embedding/features/hat_functions.h"
#include "embedding/features/spread_attributes.h"

namespace unscatter {
namespace {

// The place of an attribute a is asinh(a): linear near 0 and logarithmic far from it.  Centres stand at -12, -10, ...,
// 12, so attributes up to sinh(12) = 81,377 are told apart on a logarithmic scale.  Values in [0, 1] lie between two
// centres.  There a linear function of the two channels is nearly a linear function of the attribute.
constexpr double kEnd = 12;
constexpr std::size_t kCentres = 13;

void spread_softly(double value, NodeIndex node, std::uint32_t first_channel, std::vector<FeatureEntry>& entries) {
  emit_hats(std::asinh(value), -kEnd, kEnd, kCentres, node, first_channel, entries);
}

}  // namespace

FeatureBlockOrError make_soft_attributes(std::string_view constants, const FitGraphs* graphs) {
  return make_spread_attributes({"soft-attributes", kCentres, spread_softly}, constants, graphs);
}

}  // namespace unscatter
