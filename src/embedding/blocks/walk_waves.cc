// walk-waves:R  Characteristic functions along walks: what a random walk from a random node sees [Rozemberczki20].
//
//   numbers x of a node: l(d), and cc = triangles / max(d (d - 1) / 2, 1);  t in {1/2, 1, 2, 4}
//   columns = mean over nodes i of sum_j (P^r)_ij cos(t x_j), the same with sin, for r = 0, ..., R
//   labels: the same with the angles 2 pi hash(label, k) / 2^64, k = 0, 1, 2, 3, in the place of t x_j
//   all / sqrt(12 (R + 1))
//
// P_ij = A_ij / d_i is a step of the walk.  It stays where a node has no neighbours.  A node without a label has 0 in
// the place of cosine and sine.  Columns: r, then l(d), cc and label, then t or k, then cosine and sine.  24 (R + 1)
// columns.  A mean of points on a circle lies in the circle, so the norm is at most 1.  R = 3.  Cost: O(R (n + m)) and
// the triangles, because the nodes' weights walk and not their numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "embedding/blocks/hashing.h"
#include "embedding/blocks/part.h"
#include "embedding/blocks/shapes.h"

namespace unscatter {
namespace {

constexpr std::array kWalkWavesConstants = {PartConstant{"steps", 3, 0, 64}};
constexpr std::array kWalkWaveScales = {0.5, 1.0, 2.0, 4.0};
constexpr std::size_t kWalkWaveAngles = 3 * kWalkWaveScales.size();  // of a node
constexpr std::size_t kWalkWaveColumns = 2 * kWalkWaveAngles;        // of a step

// to = from P, for weights of nodes.  The sum of the weights stays.
void walk_weights(const GraphShape& shape, std::span<const double> from, std::span<double> to) {
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    if (shape.degree(i) == 0) to[i] += from[i];
    const double each = from[i] / static_cast<double>(std::max<std::size_t>(shape.degree(i), 1));
    for (const NodeIndex j : shape.neighbours(i)) to[j] += each;
  }
}

class WalkWavesPart final : public Part {
 public:
  explicit WalkWavesPart(std::size_t steps) : steps_(steps) {}
  [[nodiscard]] std::size_t width() const noexcept override { return (steps_ + 1) * kWalkWaveColumns; }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::size_t n = shape.nodes();
    const std::span<double> waves = shape.numbers(0, n * kWalkWaveColumns);
    for (std::size_t i = 0; i < n; ++i) draw_waves_of(shape, i, waves.subspan(i * kWalkWaveColumns, kWalkWaveColumns));
    std::span<double> weights = shape.numbers(1, n);
    std::span<double> next = shape.numbers(2, n);
    std::fill(weights.begin(), weights.end(), 1 / static_cast<double>(n));
    const double scale = std::sqrt(share / static_cast<double>((steps_ + 1) * kWalkWaveAngles));
    for (std::size_t r = 0; r <= steps_; ++r) {
      if (r > 0) {
        walk_weights(shape, weights, next);
        std::swap(weights, next);
      }
      const std::span<double> means = columns.subspan(r * kWalkWaveColumns, kWalkWaveColumns);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < kWalkWaveColumns; ++c) means[c] += weights[i] * waves[i * kWalkWaveColumns + c];
      }
      for (double& mean : means) mean *= scale;
    }
  }

 private:
  static void draw_waves_of(GraphShape& shape, std::size_t i, std::span<double> waves) {
    std::size_t column = 0;
    for (const double x : {shape.log_degrees()[i], closed_share(shape, i)}) {
      for (const double t : kWalkWaveScales) {
        waves[column++] = std::cos(t * x);
        waves[column++] = std::sin(t * x);
      }
    }
    if (!shape.graph().has_labels() || !shape.has_features(i)) return;
    for (std::uint64_t k = 0; k < kWalkWaveScales.size(); ++k) {
      const std::uint64_t hash = mixed(mixed(0, static_cast<std::uint64_t>(shape.label(i))), k);
      const double angle = 2 * std::numbers::pi * (static_cast<double>(hash) * 0x1p-64);
      waves[column++] = std::cos(angle);
      waves[column++] = std::sin(angle);
    }
  }

  std::size_t steps_;
};

}  // namespace

const PartKind kWalkWavesPart = {
    "walk-waves", kWalkWavesConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const WalkWavesPart>(whole(constants[0])));
    }};

}  // namespace unscatter
