// overlaps:B:C  Edges by the degrees of their ends and by how many neighbours the ends share.
//
//   h[a, b, c] = number of edges at (l(d), l(d'), common / max(d - 1, 1)), soft(0, 8.4, B) twice and soft(0, 1, C)
//   d the smaller and d' the larger degree of the two ends, common = number of common neighbours
//   columns = sqrt(h / sum h)
//
// The smaller end has d - 1 other neighbours, so the share is at most 1.  It is 1 if the smaller end knows nobody whom
// the larger one does not know: graphs that are made of cliques have many such edges.  B^2 C columns, c runs fastest,
// of norm 1, or 0 without edges.  B = 9, C = 6.  Cost: O(n + m sqrt(m)).
#include <algorithm>
#include <array>

#include "embedding/blocks/common_neighbours.h"
#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kOverlapsConstants = {PartConstant{"centres", 9, 2, 32}, PartConstant{"shared centres", 6, 2, 32}};

class OverlapsPart final : public Part {
 public:
  OverlapsPart(std::size_t centres, std::size_t shared_centres) : centres_(centres), shared_(shared_centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return centres_ * centres_ * shared_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::span<const double> logs = shape.log_degrees();
    for_common_neighbours(shape, [&](std::size_t less, std::size_t more, double common) {
      const auto others = static_cast<double>(std::max<std::size_t>(shape.degree(less) - 1, 1));
      add_to_grid(columns, Between(logs[less], kLargestLog, centres_), Between(logs[more], kLargestLog, centres_),
                  Between(common / others, 1, shared_), centres_, shared_);
    });
    finish_histogram(columns, share);
  }

 private:
  std::size_t centres_;
  std::size_t shared_;
};

}  // namespace

const PartKind kOverlapsPart = {
    "overlaps", kOverlapsConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(
          std::make_unique<const OverlapsPart>(whole(constants[0]), whole(constants[1])));
    }};

}  // namespace unscatter
