// cliques:A:B  Groups in which everybody knows everybody, as far as somebody is in one group only.
//
//   A node is simple if it has two neighbours or more and all pairs of its neighbours are linked.  Then it and its
//   neighbours are a clique.  Simple nodes that are linked have the same clique, which counts once.
//   h[a, b] = number of cliques at (l(nodes of the clique), l(its simple nodes)), soft(0, 5, A) and soft(0, 5, B)
//   one clique at (0, 0) if there is none;  v = l(h),  columns = v / sqrt(|v|^2 + 1)
//
// A B columns of norm below 1, A = 16, B = 8.  Cost: O(n + m sqrt(m)) for the triangles.
#include <algorithm>
#include <array>
#include <cmath>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kCliquesConstants = {PartConstant{"centres", 16, 2, 256},
                                          PartConstant{"simple centres", 8, 2, 256}};
constexpr double kLargestClique = 5;
constexpr double kCliqueSoftening = 1;

class CliquesPart final : public Part {
 public:
  CliquesPart(std::size_t centres, std::size_t simple_centres) : centres_(centres), simple_centres_(simple_centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return centres_ * simple_centres_; }
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
      const auto others = std::count_if(around.begin(), around.end(), simple);
      add(columns, static_cast<double>(shape.degree(i) + 1), static_cast<double>(others + 1));
      found = true;
    }
    if (!found) add(columns, 0, 0);
    finish_counts(columns, share, kCliqueSoftening);
  }

 private:
  void add(std::span<double> columns, double nodes, double simple_nodes) const {
    add_to_grid(columns, Between(std::log1p(nodes), kLargestClique, centres_),
                Between(std::log1p(simple_nodes), kLargestClique, simple_centres_), simple_centres_);
  }

  std::size_t centres_;
  std::size_t simple_centres_;
};

}  // namespace

const PartKind kCliquesPart = {
    "cliques", kCliquesConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const CliquesPart>(whole(constants[0]), whole(constants[1])));
    }};

}  // namespace unscatter
