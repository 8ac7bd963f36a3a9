// attributes:N  The first N attributes of all nodes, each on the wide scale of features/wide_scale.h (101 channels).
//
//   h[k, c] = sum over nodes of the share of channel c for attribute k,    columns = sqrt(h / sum h)
//
// 101 N columns of norm 1.
//
// attribute-counts:N  The same sums h as counts: v = l(h), columns = v / sqrt(|v|^2 + 60).  Norm below 1.
//
// attribute-ends:N  The same over ends of edges: a node counts once per neighbour.
//
//   e[k, c] = sum over nodes of in-degree times share,   s[k, c] = the same with the out-degree, if there are
//   directions columns = sqrt(e / sum e) / sqrt(2), sqrt(s / sum s) / sqrt(2)
//
// 202 N columns of norm at most 1.  Without directions all of e is there with the factor 1, and s is 0.
//
// N = 0 stands for as many as the data have (docs/constants.md, "form").  Attributes that a graph does not have, and
// those of nodes whose features were removed, count nowhere.  Cost: O(n N + m).
#include <algorithm>
#include <array>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"
#include "embedding/features/wide_scale.h"

namespace unscatter {
namespace {

constexpr std::array kAttributesConstants = {PartConstant{"attributes", 0, 0, 1 << 16}};
constexpr double kAttributeSoftening = 60;

// Adds weight(i) times the channels of node i.
template <typename Weight>
void add_attributes(const GraphShape& shape, std::size_t count, std::span<double> columns, Weight weight) {
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    if (!shape.has_features(i)) continue;
    const std::span<const double> values = shape.graph().attributes(shape.original(i));
    const double factor = weight(i);
    for (std::size_t k = 0; k < std::min(values.size(), count); ++k) {
      on_wide_scale(values[k],
                    [&](std::size_t channel, double share) { columns[k * kWideChannels + channel] += factor * share; });
    }
  }
}

class AttributesPart final : public Part {
 public:
  explicit AttributesPart(std::size_t count) : count_(count) {}
  [[nodiscard]] std::size_t width() const noexcept override { return count_ * kWideChannels; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    add_attributes(shape, count_, columns, [](std::size_t) { return 1.0; });
    finish_histogram(columns, share);
  }

 private:
  std::size_t count_;
};

class AttributeCountsPart final : public Part {
 public:
  explicit AttributeCountsPart(std::size_t count) : count_(count) {}
  [[nodiscard]] std::size_t width() const noexcept override { return count_ * kWideChannels; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    add_attributes(shape, count_, columns, [](std::size_t) { return 1.0; });
    finish_counts(columns, share, kAttributeSoftening);
  }

 private:
  std::size_t count_;
};

class AttributeEndsPart final : public Part {
 public:
  explicit AttributeEndsPart(std::size_t count) : count_(count) {}
  [[nodiscard]] std::size_t width() const noexcept override { return 2 * count_ * kWideChannels; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const Graph& graph = shape.graph();
    const std::span<double> ends = columns.first(count_ * kWideChannels);
    add_attributes(shape, count_, ends,
                   [&](std::size_t i) { return static_cast<double>(graph.degree(shape.original(i))); });
    if (!graph.directed()) {
      finish_histogram(ends, share);
      return;
    }
    const std::span<double> starts = columns.subspan(count_ * kWideChannels);
    const std::span<const double> out = shape.out_degrees();
    add_attributes(shape, count_, starts, [&](std::size_t i) { return out[shape.original(i)]; });
    finish_histogram(ends, share / 2);
    finish_histogram(starts, share / 2);
  }

 private:
  std::size_t count_;
};

template <typename Made>
std::unique_ptr<const Part> make_of_attributes(std::span<const double> constants, const DataForm& form) {
  return std::make_unique<const Made>(constants[0] == 0 ? form.attributes : whole(constants[0]));
}

}  // namespace

const PartKind kAttributesPart = {
    "attributes", kAttributesConstants, {.attributes = true}, make_of_attributes<AttributesPart>};
const PartKind kAttributeCountsPart = {
    "attribute-counts", kAttributesConstants, {.attributes = true}, make_of_attributes<AttributeCountsPart>};
const PartKind kAttributeEndsPart = {
    "attribute-ends", kAttributesConstants, {.attributes = true}, make_of_attributes<AttributeEndsPart>};

}  // namespace unscatter
