// kinds:K  Nodes counted by the triple (degree, triangles, core number).
//
//   h[hash(degree, triangles, core) mod K] += 1 for every node,    columns = sqrt(h / sum h)
//
// hash as in hashing.h.  K columns of norm 1, K = 1024.  Cost: O(n + m sqrt(m)) for the triangles.
#include "embedding/blocks/kinds.h"

#include <array>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kKindsConstants = {PartConstant{"buckets", 1024, 1, 1 << 20}};

class KindsPart final : public Part {
 public:
  explicit KindsPart(std::size_t buckets) : buckets_(buckets) {}
  [[nodiscard]] std::size_t width() const noexcept override { return buckets_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    count_node_kinds(shape, [&](std::uint64_t hash) { columns[hash % buckets_] += 1; });
    finish_histogram(columns, share);
  }

 private:
  std::size_t buckets_;
};

}  // namespace

const PartKind kKindsPart = {
    "kinds", kKindsConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const KindsPart>(whole(constants[0])));
    }};

}  // namespace unscatter
