// kinds:K  Nodes counted by the triple (degree, triangles, core number).
//
//   h[hash(degree, triangles, core) mod K] += 1 for every node,    columns = sqrt(h / sum h)
//
// hash as in hashing.h.  K columns of norm 1, K = 1024.  Cost: O(n + m sqrt(m)) for the triangles.
//
// all-kinds:K  Nodes counted by that triple, by directions, and by labels up to two steps away, all in one table.
//
//   h[hash(degree, triangles, core) mod K] += 1 for every node
//   h[hash'(1, in-degree, out-degree, mutual edges) mod K] += 1 if there are directions
//   c_i = hash'(1, label), or mix(2) without a label; for r = 2, 3:  c_i <- hash'(c_i, sum over neighbours j of
//   hash'(r, c_j)), and h[hash'(r, c_i) mod K] += 1, if there are labels columns = v / sqrt(|v|^2 + 60),  v = l(h).
//   hash'(a, b, c, ..) is hash(b, c, ..) that starts with h = a instead of 0.
//
// K columns of norm below 1, K = 1024.
#include "embedding/blocks/kinds.h"

#include <array>
#include <utility>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

// Up to about ten different kinds of nodes the norm still tells how many there are.
constexpr double kKindsSoftening = 60;
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

class AllKindsPart final : public Part {
 public:
  explicit AllKindsPart(std::size_t buckets) : buckets_(buckets) {}
  [[nodiscard]] std::size_t width() const noexcept override { return buckets_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    draw_all_kinds(shape, buckets_, share, columns);
  }

 private:
  std::size_t buckets_;
};

// Colours of nodes: their labels, then twice what they and their neighbours have [Shervashidze11].  A node whose label
// was removed has a colour of its own.
template <typename Count>
void count_label_kinds(GraphShape& shape, Count count) {
  const std::size_t n = shape.nodes();
  std::span<std::uint64_t> colours = shape.words(0, n);
  std::span<std::uint64_t> next = shape.words(1, n);
  for (std::size_t i = 0; i < n; ++i) {
    colours[i] = shape.has_features(i) ? mixed(1, static_cast<std::uint64_t>(shape.label(i))) : mixed(2);
  }
  for (const std::uint64_t round : {2u, 3u}) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t sum = 0;  // of hashes: the order of neighbours does not matter
      for (const NodeIndex j : shape.neighbours(i)) sum += mixed(round, colours[j]);
      next[i] = mixed(colours[i], sum);
      count(mixed(round, next[i]));
    }
    std::swap(colours, next);
  }
}

}  // namespace

void draw_all_kinds(GraphShape& shape, std::size_t buckets, double share, std::span<double> columns) {
  const auto count = [&](std::uint64_t hash) { columns[hash % buckets] += 1; };
  count_node_kinds(shape, count);
  const Graph& graph = shape.graph();
  if (graph.directed()) {
    const std::span<const double> out = shape.out_degrees();
    for (std::size_t k = 0; k < shape.nodes(); ++k) {
      const NodeIndex i = shape.original(k);
      const auto outgoing = static_cast<std::uint64_t>(out[i]);
      const std::uint64_t mutual = graph.degree(i) + outgoing - shape.degree(k);
      count(mixed(mixed(mixed(1, graph.degree(i)), outgoing), mutual));
    }
  }
  if (graph.has_labels()) count_label_kinds(shape, count);
  finish_counts(columns, share, kKindsSoftening);
}

const PartKind kAllKindsPart = {
    "all-kinds",
    kKindsConstants,
    {.directed = true, .labels = true},
    [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const AllKindsPart>(whole(constants[0])));
    }};
const PartKind kKindsPart = {
    "kinds", kKindsConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const KindsPart>(whole(constants[0])));
    }};

}  // namespace unscatter
