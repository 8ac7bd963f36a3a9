// label-counts:B  How many nodes have each label, labels modulo B.
//
//   q_b = l(number of nodes whose label is b modulo B),  t in {1/4, 1/2, 1}:   [cos(t q_b), sin(t q_b)] / sqrt(3 B)
//
// The remainder is never negative.  Nodes whose features were removed have no label.  Columns: b, then t, then cosine
// and sine.  6 B columns of norm 1, B = 64.  A graph without labels has 0 in all of them.  Cost: O(n + B).
#include <array>
#include <cmath>

#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kLabelCountsConstants = {PartConstant{"buckets", 64, 1, 1 << 16}};
constexpr std::array kLabelScales = {0.25, 0.5, 1.0};

class LabelCountsPart final : public Part {
 public:
  explicit LabelCountsPart(std::size_t buckets) : buckets_(buckets) {}
  [[nodiscard]] std::size_t width() const noexcept override { return 2 * kLabelScales.size() * buckets_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    if (!shape.graph().has_labels()) return;
    const std::span<double> counts = shape.numbers(0, buckets_);
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      if (shape.has_features(i)) counts[shape.label_modulo(i, buckets_)] += 1;
    }
    const double scale = std::sqrt(share / static_cast<double>(kLabelScales.size() * buckets_));
    std::size_t column = 0;
    for (const double count : counts) {
      const double q = std::log1p(count);
      for (const double t : kLabelScales) {
        columns[column++] = scale * std::cos(t * q);
        columns[column++] = scale * std::sin(t * q);
      }
    }
  }

 private:
  std::size_t buckets_;
};

}  // namespace

const PartKind kLabelCountsPart = {
    "label-counts", kLabelCountsConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const LabelCountsPart>(whole(constants[0])));
    }};

}  // namespace unscatter
