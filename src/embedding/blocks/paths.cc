// paths:L:K  Pairs of nodes counted by their labels and their distance.
//
//   h[hash(a, b, distance) mod K] += 1 for every pair of nodes at a distance of 1 to L; a <= b their labels
//   columns = sqrt(h / sum h)
//
// hash as in hashing.h.  A node without a label has the label 2^63 - 1.  K columns of norm 1.  L = 10, K = 1024.
// Cost: O(n (n + m)), a search of depth L from every node.
#include <algorithm>
#include <array>
#include <limits>

#include "embedding/blocks/hashing.h"
#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kPathsConstants = {PartConstant{"longest", 10, 1, 1 << 16},
                                        PartConstant{"buckets", 1024, 1, 1 << 20}};

class PathsPart final : public Part {
 public:
  PathsPart(std::size_t longest, std::size_t buckets) : longest_(longest), buckets_(buckets) {}
  [[nodiscard]] std::size_t width() const noexcept override { return buckets_; }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const auto n = static_cast<NodeIndex>(shape.nodes());
    constexpr std::uint64_t kNotYet = std::numeric_limits<std::uint64_t>::max();
    const std::span<std::uint64_t> distance = shape.words(0, n);
    const std::span<NodeIndex> queue = shape.indices(0, n);
    for (NodeIndex from = 0; from < n; ++from) {
      std::fill(distance.begin(), distance.end(), kNotYet);
      distance[from] = 0;
      queue[0] = from;
      std::size_t end = 1;
      for (std::size_t head = 0; head < end; ++head) {
        const NodeIndex i = queue[head];
        // Each pair once, from its smaller number.
        if (i > from) columns[place(shape.label(from), shape.label(i), distance[i])] += 1;
        if (distance[i] == longest_) continue;
        for (const NodeIndex j : shape.neighbours(i)) {
          if (distance[j] != kNotYet) continue;
          distance[j] = distance[i] + 1;
          queue[end++] = j;
        }
      }
    }
    finish_histogram(columns, share);
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t one, std::int64_t other, std::uint64_t distance) const {
    const auto [low, high] = std::minmax(one, other);
    return mixed(mixed(mixed(0, static_cast<std::uint64_t>(low)), static_cast<std::uint64_t>(high)), distance) %
           buckets_;
  }

  std::size_t longest_;
  std::size_t buckets_;
};

}  // namespace

const PartKind kPathsPart = {
    "paths", kPathsConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const PathsPart>(whole(constants[0]), whole(constants[1])));
    }};

}  // namespace unscatter
