// constant  The value 1 at every node that has features.
#include "embedding/features/registry.h"

namespace unscatter {
namespace {

class Constant final : public FeatureBlock {
 public:
  [[nodiscard]] std::string describe() const override { return "constant"; }
  [[nodiscard]] std::size_t width() const noexcept override { return 1; }
  void emit(const Graph&, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    entries.push_back({node, first_channel, 1.0});
  }
};

}  // namespace

FeatureBlockOrError make_constant(std::string_view constants, const FitGraphs*) {
  if (!constants.empty()) return unexpected_constants("constant", constants);
  return std::make_unique<const Constant>();
}

}  // namespace unscatter
