#include "embedding/transforms/low_pass.h"

namespace unscatter {

void low_pass_weights(const Graph& graph, LowPass low_pass, std::vector<double>& weights) {
  const std::size_t n = graph.node_count();
  weights.assign(n, 1.0 / static_cast<double>(n));
  // Without edges all degrees are 0, and 0 / 0 would be NaN.  The mean stays.
  if (low_pass == LowPass::kDegree && graph.entry_count() > 0) {
    const auto total = static_cast<double>(graph.entry_count());
    for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(graph.degree(i)) / total;
  }
}

}  // namespace unscatter
