#include "node_requests.h"

#include <algorithm>
#include <span>
#include <utility>

#include "unscatter/base/random.h"

namespace unscatter::bench {

std::vector<RemovalRequest> node_requests(const Dataset& dataset, std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> nodes;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    for (std::size_t v = 0; v < dataset.graphs[g].node_count() / 2; ++v) nodes.emplace_back(g, v);
  }
  Sequence random(1);
  random.shuffle(std::span(nodes));
  nodes.resize(std::min(nodes.size(), count));
  std::vector<RemovalRequest> requests;
  for (const auto& [graph, node] : nodes) {
    const ForgetNode request{graph, node};
    requests.emplace_back(request);
  }
  return requests;
}

}  // namespace unscatter::bench
