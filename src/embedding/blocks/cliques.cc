// cliques:S  Groups in which everybody knows everybody, as far as somebody is in one group only.
//
//   A node is simple if it has two neighbours or more and all pairs of its neighbours are linked.  Then it and its
//   neighbours are a clique.  Simple nodes that are linked have the same clique, which counts once.
//   h[min(nodes of the clique, S - 1)] += 1;  h[0] = 1 if there is none;  v = l(h),  columns = v / sqrt(|v|^2 + 1)
//
// S columns of norm below 1, S = 64.  Cost: O(n + m sqrt(m)) for the triangles.
#include <algorithm>
#include <array>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kCliquesConstants = {PartConstant{"sizes", 64, 4, 65536}};
constexpr double kCliqueSoftening = 1;

class CliquesPart final : public Part {
 public:
  explicit CliquesPart(std::size_t sizes) : sizes_(sizes) {}
  [[nodiscard]] std::size_t width() const noexcept override { return sizes_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::span<const std::uint64_t> triangles = shape.triangles();
    const auto simple = [&](std::size_t i) {
      const std::uint64_t degree = shape.degree(i);
      return degree >= 2 && triangles[i] == degree * (degree - 1) / 2;
    };
    bool found = false;
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      if (!simple(i)) continue;
      // The first of its simple nodes counts the clique.
      const std::span<const NodeIndex> around = shape.neighbours(i);
      if (std::any_of(around.begin(), around.end(), [&](NodeIndex j) { return j < i && simple(j); })) continue;
      columns[std::min(shape.degree(i) + 1, sizes_ - 1)] += 1;
      found = true;
    }
    if (!found) columns[0] = 1;
    finish_counts(columns, share, kCliqueSoftening);
  }

 private:
  std::size_t sizes_;
};

}  // namespace

const PartKind kCliquesPart = {
    "cliques", kCliquesConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const CliquesPart>(whole(constants[0])));
    }};

}  // namespace unscatter
