// position  The two coordinates of a node.
#include "embedding/features/registry.h"

namespace unscatter {
namespace {

class Position final : public FeatureBlock {
 public:
  [[nodiscard]] std::string describe() const override { return "position"; }
  [[nodiscard]] std::size_t width() const noexcept override { return 2; }
  [[nodiscard]] Status check(const Graph& graph) const override {
    if (!graph.has_positions()) return Error{ErrorCode::kUnsupported, "feature 'position': the graph has no positions"};
    return ok_status();
  }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    entries.push_back({node, first_channel, graph.position(node)[0]});
    entries.push_back({node, first_channel + 1, graph.position(node)[1]});
  }
};

}  // namespace

FeatureBlockOrError make_position(std::string_view constants, const FitGraphs*) {
  if (!constants.empty()) return unexpected_constants("position", constants);
  return std::make_unique<const Position>();
}

}  // namespace unscatter
