#include <algorithm>
#include <array>

#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

// A new part is one file with a PartKind and one line here.
std::span<const PartKind> all_kinds() {
  static const std::array kinds = {
      kAllKindsPart,    kAttributeCountsPart, kAttributeEndsPart, kAttributeLevelsPart, kAttributeSumsPart,
      kAttributesPart,  kBendsPart,           kCliquesPart,       kClosurePart,         kClusteringPart,
      kColoursPart,     kDirectionsPart,      kEdgeKindsPart,     kJaccardPart,         kKindsPart,
      kLabelCountsPart, kLabelShapesPart,     kLabelSumsPart,     kNetworkPart,         kOverlapsPart,
      kPalettePart,     kPathsPart,           kPixelsPart,        kProfilePart,         kReturnsPart,
      kScatteringPart,  kShapesPart,          kSizePart,          kSlopesPart,          kSpectrumPart,
      kTexturePart,     kWalkWavesPart,       kWaveletsPart,      kWeightsPart};
  return kinds;
}

}  // namespace

std::span<const PartKind> part_kinds() { return all_kinds(); }

const PartKind* find_part_kind(std::string_view name) {
  const std::span<const PartKind> kinds = part_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const PartKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace unscatter
