// A part of an embedding: some columns that are a function of one graph, with a bounded norm.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "embedding/blocks/graph_shape.h"
#include "embedding/features/form.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter {

// It does not change after construction.  Any number of threads may use it at the same time.
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  [[nodiscard]] virtual std::size_t width() const noexcept = 0;
  // Writes the part's columns.  `columns` has width() entries, all of them zero.  Afterwards |columns|^2 <= share holds
  // up to rounding, for every graph.  What a graph does not have stays 0.
  virtual void draw(GraphShape& shape, double share, std::span<double> columns) const = 0;
};

// One number behind the name of a part, as in "paths:10:1024".
struct PartConstant {
  std::string_view name;
  double usual;
  double low;
  double high;
  bool whole = true;  // only whole numbers
};

using PartNeeds = RecipeSight;

struct PartKind {
  std::string_view name;
  std::span<const PartConstant> constants;
  PartNeeds needs;
  // All constants, within their ranges.
  std::unique_ptr<const Part> (*make)(std::span<const double> constants, const DataForm& form);

  // Does the number of columns follow from the form of the data?  Parts of images ask whether there are colours.  The
  // first constant of other parts that look at attributes is their number, and 0 stands for as many as the data have.
  [[nodiscard]] bool width_by_form(std::span<const double> values) const {
    return needs.positions || (needs.attributes && values[0] == 0);
  }
};

// All there are, sorted by name.
[[nodiscard]] std::span<const PartKind> part_kinds();
// Null if there is none of that name.
[[nodiscard]] const PartKind* find_part_kind(std::string_view name);

// A constant as a whole number.
[[nodiscard]] inline std::size_t whole(double constant) { return static_cast<std::size_t>(constant); }

extern const PartKind kAllKindsPart;
extern const PartKind kAttributeCountsPart;
extern const PartKind kAttributeEndsPart;
extern const PartKind kAttributeLevelsPart;
extern const PartKind kAttributeSumsPart;
extern const PartKind kAttributesPart;
extern const PartKind kBendsPart;
extern const PartKind kCliquesPart;
extern const PartKind kClosurePart;
extern const PartKind kClusteringPart;
extern const PartKind kColoursPart;
extern const PartKind kDirectionsPart;
extern const PartKind kEdgeKindsPart;
extern const PartKind kJaccardPart;
extern const PartKind kKindsPart;
extern const PartKind kLabelCountsPart;
extern const PartKind kLabelShapesPart;
extern const PartKind kLabelSumsPart;
extern const PartKind kNetworkPart;
extern const PartKind kOverlapsPart;
extern const PartKind kPalettePart;
extern const PartKind kPathsPart;
extern const PartKind kPixelsPart;
extern const PartKind kProfilePart;
extern const PartKind kReturnsPart;
extern const PartKind kScatteringPart;
extern const PartKind kShapesPart;
extern const PartKind kSizePart;
extern const PartKind kSlopesPart;
extern const PartKind kSpectrumPart;
extern const PartKind kTexturePart;
extern const PartKind kWalkWavesPart;
extern const PartKind kWaveletsPart;
extern const PartKind kWeightsPart;

}  // namespace unscatter
