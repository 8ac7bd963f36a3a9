// returns:B  How likely a walk is back after s steps, node by node.
//
//   p_s(i) = (S^s)_ii,  S = D^-1/2 A D^-1/2,  s in {2, 3, 4, 5, 6, 8}
//   h_s = number of nodes at -ln(max(p_s, 10^-9)), soft(0, 8, B),    columns = sqrt(h_s / sum h_s) / sqrt(6)
//
// (S^s)_ii equals ((D^-1 A)^s)_ii, the probability that a random walk from i is at i after s steps.  A node without
// neighbours has p = 0.  Columns: s, then the place.  6 B columns of norm 1, B = 25.  Cost: O(n m).
#include <algorithm>
#include <array>
#include <cmath>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kReturnsConstants = {PartConstant{"centres", 25, 2, 256}};
constexpr std::size_t kReturnSteps = 6;  // 2, 3, 4, 5, 6, 8
constexpr std::size_t kReturnPowers = 4;
constexpr double kLargestReturn = 8;
constexpr double kSmallestReturn = 1e-9;
// So many nodes start their walks together: their probabilities lie side by side, in SIMD lanes.
constexpr std::size_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

class ReturnsPart final : public Part {
 public:
  explicit ReturnsPart(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return kReturnSteps * centres_; }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::size_t n = shape.nodes();
    const std::span<double> root = shape.numbers(0, n);  // D^-1/2
    for (std::size_t i = 0; i < n; ++i) {
      root[i] = shape.degree(i) == 0 ? 0 : 1 / std::sqrt(static_cast<double>(shape.degree(i)));
    }
    // S is symmetric, so (S^(a+b))_ii = (S^a e_i) . (S^b e_i): four powers are enough for eight steps.
    const std::span<double> x = shape.numbers(1, (kReturnPowers + 1) * n * kLanes);
    for (std::size_t first = 0; first < n; first += kLanes) {
      const std::size_t used = std::min(kLanes, n - first);
      std::fill(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n * kLanes), 0.0);
      for (std::size_t lane = 0; lane < used; ++lane) x[(first + lane) * kLanes + lane] = 1;
      for (std::size_t power = 1; power <= kReturnPowers; ++power) {
        walk(shape, root, x.subspan((power - 1) * n * kLanes, n * kLanes), x.subspan(power * n * kLanes, n * kLanes));
      }
      add_block(x, n, used, columns);
    }
    for (std::size_t s = 0; s < kReturnSteps; ++s) {
      finish_histogram(columns.subspan(s * centres_, centres_), share / static_cast<double>(kReturnSteps));
    }
  }

 private:
  // to = S from
  static void walk(const GraphShape& shape, std::span<const double> root, std::span<const double> from,
                   std::span<double> to) {
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      Lanes sum = {};
      for (const NodeIndex j : shape.neighbours(i)) {
        const double* values = from.data() + j * kLanes;
        for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += root[j] * values[lane];
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) to[i * kLanes + lane] = root[i] * sum[lane];
    }
  }

  void add_block(std::span<const double> x, std::size_t n, std::size_t used, std::span<double> columns) const {
    constexpr std::array<std::array<std::size_t, 2>, kReturnSteps> kPairs = {
        {{1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {4, 4}}};
    for (std::size_t s = 0; s < kReturnSteps; ++s) {
      const double* a = x.data() + kPairs[s][0] * n * kLanes;
      const double* b = x.data() + kPairs[s][1] * n * kLanes;
      Lanes sum = {};
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += a[i * kLanes + lane] * b[i * kLanes + lane];
      }
      for (std::size_t lane = 0; lane < used; ++lane) {
        const Between place(-std::log(std::max(sum[lane], kSmallestReturn)), kLargestReturn, centres_);
        columns[s * centres_ + place.left] += place.share(0);
        columns[s * centres_ + place.left + 1] += place.share(1);
      }
    }
  }

  std::size_t centres_;
};

}  // namespace

const PartKind kReturnsPart = {
    "returns", kReturnsConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const ReturnsPart>(whole(constants[0])));
    }};

}  // namespace unscatter
