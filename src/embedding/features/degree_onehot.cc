// degree-onehot:W  One channel per degree 0 .. W-1.  The degree is that of the graph as it is now: a removed neighbour
// does not count.
#include <fmt/format.h>

#include <algorithm>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

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

 private:
  std::size_t width_;
};

}  // namespace

FeatureBlockOrError make_degree_onehot(std::string_view constants, const Dataset* dataset) {
  if (constants.empty()) {
    if (dataset == nullptr) return missing_constants("degree-onehot", "degree-onehot:136");
    return std::make_unique<const DegreeOneHot>(summarise(*dataset).max_degree + 1);
  }
  UNSCATTER_TRY(width, parse_width("degree-onehot", constants));
  return std::make_unique<const DegreeOneHot>(width);
}

}  // namespace unscatter
