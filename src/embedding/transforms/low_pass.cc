#include "embedding/transforms/low_pass.h"

namespace unscatter {

std::vector<double> low_pass_weights(const Graph& graph, LowPass low_pass) {
  const std::size_t n = graph.node_count();
  std::vector<double> weights(n, 1.0 / static_cast<double>(n));
  if (low_pass == LowPass::kDegree && graph.entry_count() > 0) {
    const auto total = static_cast<double>(graph.entry_count());
    for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(graph.degree(i)) / total;
  }
  return weights;
}

}  // namespace unscatter
