// label-shapes:L:B  Nodes by label and by the degrees around them.
//
//   h[a, b, c] = number of nodes with label a modulo L at (l(d), l(me)), each soft(0, 3.5, B);  columns = sqrt(h / sum
//   h)
//
// d degree, me the mean degree of the neighbours.  Only nodes with a label count.  L B^2 columns of norm 1, c runs
// fastest.  L = 8, B = 8.  Cost: O(n + m).
#include <array>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kLabelShapesConstants = {PartConstant{"labels", 8, 1, 4096}, PartConstant{"centres", 8, 2, 32}};
constexpr double kLargestSmallLog = 3.5;

class LabelShapesPart final : public Part {
 public:
  LabelShapesPart(std::size_t labels, std::size_t centres) : labels_(labels), centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return labels_ * centres_ * centres_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    if (!shape.graph().has_labels()) return;
    const std::span<const double> own = shape.log_degrees();
    const std::span<const double> near = shape.log_neighbour_degrees();
    const std::size_t cells = centres_ * centres_;
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      if (!shape.has_features(i)) continue;
      add_to_grid(columns.subspan(shape.label_modulo(i, labels_) * cells, cells),
                  Between(own[i], kLargestSmallLog, centres_), Between(near[i], kLargestSmallLog, centres_), centres_);
    }
    finish_histogram(columns, share);
  }

 private:
  std::size_t labels_;
  std::size_t centres_;
};

}  // namespace

const PartKind kLabelShapesPart = {
    "label-shapes", kLabelShapesConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(
          std::make_unique<const LabelShapesPart>(whole(constants[0]), whole(constants[1])));
    }};

}  // namespace unscatter
