// edge-kinds:B:L  Edges by the kinds of their two ends.
//
//   C      one row per node: l(d), soft(0, 6.2, B), and behind it one-hot the label modulo L
//   h = vec(C^T A C),    columns = sqrt(h / sum h)
//
// A has no directions, so every edge counts twice, once from either end.  A node without a label has zeros in the last
// L columns of C.  L = 0 leaves labels out.  (B + L)^2 columns, row by row, of norm 1, or 0 without edges.  B = 16,
// L = 8.  Cost: O(n + m).
#include <array>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kEdgeKindsConstants = {PartConstant{"centres", 16, 2, 128}, PartConstant{"labels", 8, 0, 128}};
// ln(1 + 492) = 6.2: larger degrees share the last centre.
constexpr double kLargestEndLog = 6.2;

class EdgeKindsPart final : public Part {
 public:
  EdgeKindsPart(std::size_t centres, std::size_t labels) : centres_(centres), labels_(labels) {}
  [[nodiscard]] std::size_t width() const noexcept override { return channels() * channels(); }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::size_t n = shape.nodes();
    const std::span<const double> logs = shape.log_degrees();
    // The entries of C that are not 0: two neighbouring centres and a label.
    const std::span<NodeIndex> places = shape.indices(0, n * kEntries);
    const std::span<double> shares = shape.numbers(0, n * kEntries);
    const bool labelled = labels_ > 0 && shape.graph().has_labels();
    for (std::size_t i = 0; i < n; ++i) {
      const Between place(logs[i], kLargestEndLog, centres_);
      for (const std::size_t side : {0u, 1u}) {
        places[i * kEntries + side] = static_cast<NodeIndex>(place.left + side);
        shares[i * kEntries + side] = place.share(side);
      }
      if (!labelled || !shape.has_features(i)) continue;
      places[i * kEntries + 2] = static_cast<NodeIndex>(centres_ + shape.label_modulo(i, labels_));
      shares[i * kEntries + 2] = 1;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (const NodeIndex j : shape.neighbours(i)) {
        for (std::size_t a = i * kEntries; a < (i + 1) * kEntries; ++a) {
          for (std::size_t b = j * kEntries; b < (j + std::size_t{1}) * kEntries; ++b) {
            columns[places[a] * channels() + places[b]] += shares[a] * shares[b];
          }
        }
      }
    }
    finish_histogram(columns, share);
  }

 private:
  static constexpr std::size_t kEntries = 3;  // of a row of C
  [[nodiscard]] std::size_t channels() const noexcept { return centres_ + labels_; }

  std::size_t centres_;
  std::size_t labels_;
};

}  // namespace

const PartKind kEdgeKindsPart = {
    "edge-kinds", kEdgeKindsConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(
          std::make_unique<const EdgeKindsPart>(whole(constants[0]), whole(constants[1])));
    }};

}  // namespace unscatter
