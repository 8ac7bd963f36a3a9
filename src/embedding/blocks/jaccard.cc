// jaccard:B  Edges by the share of common neighbours among all neighbours of their two ends.
//
//   h[a] = number of edges at common / max(d + d' - common - 2, 1), soft(0, 1, B),    columns = sqrt(h / sum h)
//
// d and d' are the degrees of the ends, common is the number of common neighbours.  The ends have d + d' - common - 2
// neighbours together, without themselves, so the share is at most 1.  B columns of norm 1, or 0 without edges.  B
// = 20. Cost: O(n + m sqrt(m)).
#include <algorithm>
#include <array>

#include "embedding/blocks/common_neighbours.h"
#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kJaccardConstants = {PartConstant{"centres", 20, 2, 1024}};

class JaccardPart final : public Part {
 public:
  explicit JaccardPart(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return centres_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    for_common_neighbours(shape, [&](std::size_t i, std::size_t j, double common) {
      const auto ends = static_cast<double>(shape.degree(i) + shape.degree(j));
      add_to_line(columns, Between(common / std::max(ends - common - 2, 1.0), 1, centres_));
    });
    finish_histogram(columns, share);
  }

 private:
  std::size_t centres_;
};

}  // namespace

const PartKind kJaccardPart = {
    "jaccard", kJaccardConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const JaccardPart>(whole(constants[0])));
    }};

}  // namespace unscatter
