// scattering:J:B:L  Scattering signals of what every graph has: shares of nodes by size, and roots of moments [Gao19].
//
//   signals f: min(l(d), 8.4) / 8.4;  cc = triangles / max(d (d - 1) / 2, 1);  for b = 0, ..., L - 1 one that is 1 at
//              nodes with label b modulo L, else 0
//   (T x)_i = x_i + sum over neighbours j of (x_j - x_i) / (2 d_i): a lazy step, which leaves constants what they are
//   W_0 = I - T,  W_j = T^(2^(j-1)) - T^(2^j) for j = 1, ..., J - 1
//   of each f the signals s = f;  |W_j f|;  |W_k |W_j f|| for j < k
//   of each s (mean of s^q over the nodes)^(1/q), q = 1, 2, 4, divided by sqrt(3); then root of the number of nodes at
//   l(20 s), soft(0, l(20), B);  all / sqrt(2 (2 + L) S),  S = 1 + J + J (J - 1) / 2
//
// T is a mean with weights, so all s lie in [0, 1]: the norm is at most 1.  Columns: f, then s (f itself; then for each
// j first |W_j f| and behind it k = j + 1, ..., J - 1), then the three roots, then the B shares.  A graph without
// labels has 0 for them.  (2 + L) S (3 + B) columns, J = 4, B = 8, L = 4.  Cost: O(2^J J (2 + L) (n + m)) and the
// triangles.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"
#include "embedding/blocks/shapes.h"

namespace unscatter {
namespace {

constexpr std::array kScatteringConstants = {PartConstant{"scales", 4, 1, 8}, PartConstant{"centres", 8, 2, 256},
                                             PartConstant{"labels", 4, 0, 256}};
constexpr std::size_t kScatteringRoots = 3;
constexpr std::size_t kScatteringShapes = 2;  // degree and cc
constexpr double kScatteringSteepness = 20;
// The pads of a graph shape.
constexpr std::size_t kSignalPad = 0;
constexpr std::size_t kFirstBandsPad = 1;
constexpr std::size_t kSecondBandsPad = 2;
constexpr std::size_t kNowPad = 3;
constexpr std::size_t kNextPad = 4;

// to = T from
void step_lazily(const GraphShape& shape, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    double sum = 0;
    for (const NodeIndex j : shape.neighbours(i)) sum += from[j] - from[i];
    to[i] = shape.degree(i) == 0 ? from[i] : from[i] + sum / static_cast<double>(2 * shape.degree(i));
  }
}

class ScatteringPart final : public Part {
 public:
  ScatteringPart(std::size_t scales, std::size_t centres, std::size_t labels)
      : scales_(scales), centres_(centres), labels_(labels) {}
  [[nodiscard]] std::size_t width() const noexcept override { return inputs() * per_input(); }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const double each = share / static_cast<double>(inputs() * signals());
    const bool labelled = shape.graph().has_labels();
    for (std::size_t input = 0; input < inputs(); ++input) {
      if (input >= kScatteringShapes && !labelled) return;
      const std::span<double> f = shape.numbers(kSignalPad, shape.nodes());
      fill(shape, input, f);
      draw_tree(shape, f, each, columns.subspan(input * per_input(), per_input()));
    }
  }

 private:
  [[nodiscard]] std::size_t inputs() const noexcept { return kScatteringShapes + labels_; }
  [[nodiscard]] std::size_t signals() const noexcept { return 1 + scales_ + scales_ * (scales_ - 1) / 2; }
  [[nodiscard]] std::size_t per_signal() const noexcept { return kScatteringRoots + centres_; }
  [[nodiscard]] std::size_t per_input() const noexcept { return signals() * per_signal(); }

  void fill(GraphShape& shape, std::size_t input, std::span<double> f) const {
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (input == 0) {
        f[i] = std::min(shape.log_degrees()[i], kLargestLog) / kLargestLog;
      } else if (input == 1) {
        f[i] = closed_share(shape, i);
      } else if (shape.has_features(i) && shape.label_modulo(i, labels_) == input - kScatteringShapes) {
        f[i] = 1;
      }
    }
  }

  // All signals of one f, in the order of the columns.
  void draw_tree(GraphShape& shape, std::span<const double> f, double share, std::span<double> columns) const {
    const std::size_t n = f.size();
    std::size_t at = 0;
    const auto emit = [&](std::span<const double> s) {
      draw_signal(s, share, columns.subspan(at, per_signal()));
      at += per_signal();
    };
    emit(f);
    const std::span<double> first = shape.numbers(kFirstBandsPad, scales_ * n);
    const std::span<double> second = shape.numbers(kSecondBandsPad, scales_ * n);
    split(shape, f, first);
    for (std::size_t j = 0; j < scales_; ++j) {
      const std::span<const double> band = first.subspan(j * n, n);
      emit(band);
      if (j + 1 == scales_) break;
      split(shape, band, second);
      for (std::size_t k = j + 1; k < scales_; ++k) emit(second.subspan(k * n, n));
    }
  }

  // bands = |W_0 x|, |W_1 x|, ...
  void split(GraphShape& shape, std::span<const double> x, std::span<double> bands) const {
    const std::size_t n = x.size();
    std::span<double> now = shape.numbers(kNowPad, n);
    std::span<double> next = shape.numbers(kNextPad, n);
    std::copy(x.begin(), x.end(), now.begin());
    for (std::size_t j = 0; j < scales_; ++j) {
      const std::span<double> band = bands.subspan(j * n, n);
      std::copy(now.begin(), now.end(), band.begin());
      for (std::size_t step = j == 0 ? 1 : std::size_t{1} << (j - 1); step > 0; --step) {
        step_lazily(shape, now, next);
        std::swap(now, next);
      }
      for (std::size_t i = 0; i < n; ++i) band[i] = std::abs(band[i] - now[i]);
    }
  }

  void draw_signal(std::span<const double> s, double share, std::span<double> columns) const {
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    const std::span<double> line = columns.subspan(kScatteringRoots);
    const double last_place = std::log1p(kScatteringSteepness);
    for (const double value : s) {
      sum += value;
      squares += value * value;
      fourths += value * value * (value * value);
      add_to_line(line, Between(std::log1p(kScatteringSteepness * value), last_place, centres_));
    }
    const auto n = static_cast<double>(s.size());
    const double scale = std::sqrt(share / static_cast<double>(2 * kScatteringRoots));
    columns[0] = scale * (sum / n);
    columns[1] = scale * std::sqrt(squares / n);
    columns[2] = scale * std::sqrt(std::sqrt(fourths / n));
    finish_histogram(line, share / 2);
  }

  std::size_t scales_;
  std::size_t centres_;
  std::size_t labels_;
};

}  // namespace

const PartKind kScatteringPart = {
    "scattering", kScatteringConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(
          std::make_unique<const ScatteringPart>(whole(constants[0]), whole(constants[1]), whole(constants[2])));
    }};

}  // namespace unscatter
