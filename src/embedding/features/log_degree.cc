// log-degree  log(1 + degree).  It is one channel where a one-hot degree would need hundreds.
#include <cmath>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

class LogDegree final : public FeatureBlock {
 public:
  [[nodiscard]] std::string describe() const override { return "log-degree"; }
  [[nodiscard]] std::size_t width() const noexcept override { return 1; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    entries.push_back({node, first_channel, std::log1p(static_cast<double>(graph.degree(node)))});
  }
};

}  // namespace

FeatureBlockOrError make_log_degree(std::string_view constants, const FitGraphs*) {
  if (!constants.empty()) return unexpected_constants("log-degree", constants);
  return std::make_unique<const LogDegree>();
}

}  // namespace unscatter
