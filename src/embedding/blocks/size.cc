// size  How large a graph is.
//
//   q = (l(n), l(m), l(2m/n)),  t in {1/4, 1/2, 1, 2}:   [cos(t q), sin(t q)] / sqrt(12)
//
// n nodes, m edges without directions.  Columns: t, then q, then cosine and sine.  24 columns of norm 1.  Cost: O(1).
#include "embedding/blocks/size.h"

#include <array>
#include <cmath>

#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kSizeScales = {0.25, 0.5, 1.0, 2.0};
static_assert(kSizeColumns == 6 * kSizeScales.size());

class SizePart final : public Part {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return kSizeColumns; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    draw_size(shape, share, columns);
  }
};

}  // namespace

void draw_size(const GraphShape& shape, double share, std::span<double> columns) {
  const auto n = static_cast<double>(shape.nodes());
  const auto m = static_cast<double>(shape.edges());
  const std::size_t pairs = columns.size() / 2;  // of a cosine and a sine
  const double scale = std::sqrt(share / static_cast<double>(pairs));
  std::size_t column = 0;
  for (const double t : kSizeScales) {
    for (const double q : {std::log1p(n), std::log1p(m), std::log1p(2 * m / n)}) {
      columns[column++] = scale * std::cos(t * q);
      columns[column++] = scale * std::sin(t * q);
    }
  }
}

const PartKind kSizePart = {"size", {}, {}, [](std::span<const double>, const DataForm&) {
                              return std::unique_ptr<const Part>(std::make_unique<const SizePart>());
                            }};

}  // namespace unscatter
