// degree-onehot:W  One channel per degree 0 .. W-1.  The degree is that of the graph as it is now: a removed neighbour
// does not count.
#include <fmt/format.h>

#include <algorithm>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

std::size_t largest_degree_of(const Graph& graph) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < graph.node_count(); ++i) largest = std::max(largest, graph.degree(i));
  return largest;
}

std::size_t largest_degree(FitGraphs graphs) {
  std::size_t largest = 0;
  for (const Graph* graph : graphs) largest = std::max(largest, largest_degree_of(*graph));
  return largest;
}

class DegreeOneHot final : public FeatureBlock {
 public:
  explicit DegreeOneHot(std::size_t width) : width_(width) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("degree-onehot:{}", width_); }
  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    // The width is a public constant.  A graph that comes later may have a larger degree, and it shares the last
    // channel.
    const std::size_t channel = std::min(graph.degree(node), width_ - 1);
    entries.push_back({node, first_channel + static_cast<std::uint32_t>(channel), 1.0});
  }
  // The width is a maximum.  Only a graph that has it can change it.
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* /*after*/) const override {
    return largest_degree_of(before) + 1 >= width_;
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override { return largest_degree_of(graph) + 1 == width_; }

 private:
  std::size_t width_;
};

}  // namespace

FeatureBlockOrError make_degree_onehot(std::string_view constants, const FitGraphs* graphs) {
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants("degree-onehot", "degree-onehot:136");
    return std::make_unique<const DegreeOneHot>(largest_degree(*graphs) + 1);
  }
  UNSCATTER_TRY(width, parse_width("degree-onehot", constants));
  return std::make_unique<const DegreeOneHot>(width);
}

}  // namespace unscatter
