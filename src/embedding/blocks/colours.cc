// colours:R:K:L  Nodes counted by what is up to R steps away: labels, and lengths of cycles.
//
//   r_ij = length of the shortest cycle through the edge ij, 0 if it is above L or if there is none
//   c_i = mix(label of i);  then R times, for all nodes at once:
//   c_i <- mix(c_i P + mix(sum over neighbours j of mix(mix(c_j) P + mix(r_ij)))),   P = 0x165667B19E3779F9
//   h[c_i mod K] += 1 for every node,   v = l(h),   columns = v / sqrt(|v|^2 + 20)
//
// All modulo 2^64; mix as in hashing.h [Shervashidze11].  A node without a label has the label 2^63 - 1.  K columns of
// norm below 1.  R = 2, K = 1024, L = 8 at most.  Cost: O(R (n + m)), and if L > 0 a search of depth 7 per edge that
// lies on a cycle.
#include <array>

#include "embedding/blocks/hashing.h"
#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kColoursConstants = {
    PartConstant{"rounds", 2, 0, 16}, PartConstant{"buckets", 1024, 1, 1 << 20},
    PartConstant{"longest cycle", GraphShape::kLongestCycle, 0, GraphShape::kLongestCycle}};
constexpr double kColourSoftening = 20;

class ColoursPart final : public Part {
 public:
  ColoursPart(std::size_t rounds, std::size_t buckets, std::size_t longest)
      : rounds_(rounds), buckets_(buckets), longest_(longest) {}
  [[nodiscard]] std::size_t width() const noexcept override { return buckets_; }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const std::size_t n = shape.nodes();
    const NeighbourRows& rows = shape.rows();
    std::span<const std::uint8_t> cycles;
    if (longest_ > 0) cycles = shape.cycle_lengths();
    const std::span<std::uint64_t> colours = shape.words(0, n);
    const std::span<std::uint64_t> next = shape.words(1, n);
    for (std::size_t i = 0; i < n; ++i) colours[i] = mixed(static_cast<std::uint64_t>(shape.label(i)));
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t sum = 0;  // of hashes: the order of neighbours does not matter
        for (std::uint32_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
          const std::uint64_t length = longest_ > 0 && cycles[at] <= longest_ ? cycles[at] : 0;
          sum += mixed(mixed(colours[rows.entries[at]]), length);
        }
        next[i] = mixed(colours[i], sum);
      }
      std::copy(next.begin(), next.end(), colours.begin());
    }
    for (const std::uint64_t colour : colours) columns[colour % buckets_] += 1;
    finish_counts(columns, share, kColourSoftening);
  }

 private:
  std::size_t rounds_;
  std::size_t buckets_;
  std::size_t longest_;
};

}  // namespace

const PartKind kColoursPart = {
    "colours", kColoursConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(
          std::make_unique<const ColoursPart>(whole(constants[0]), whole(constants[1]), whole(constants[2])));
    }};

}  // namespace unscatter
