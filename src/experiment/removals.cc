#include "experiment/removals.h"

#include <numeric>

#include "unscatter/base/random.h"

namespace unscatter::experiment {

std::vector<RemovalRequest> random_removals(const Dataset& train, RemovalKind kind, std::size_t count,
                                            std::uint64_t seed) {
  Sequence random(seed);
  std::vector<std::size_t> order(train.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // A graph is touched once at most, as in the paper.  The order depends on the seed alone, so every method gets the
  // same.
  random.shuffle(std::span(order));
  std::vector<RemovalRequest> requests;
  for (const std::size_t g : order) {
    if (requests.size() == count) break;
    const Graph& graph = train.graphs[g];
    // Drawn for every kind of removal, so that all kinds take their graphs and nodes from the same sequence.
    const std::size_t node = random.below(graph.node_count());
    switch (kind) {
      case RemovalKind::kNode: requests.emplace_back(ForgetNode{g, node}); break;
      case RemovalKind::kFeatures: requests.emplace_back(ForgetFeatures{g, node}); break;
      case RemovalKind::kGraph: requests.emplace_back(ForgetGraph{g}); break;
      case RemovalKind::kEdge: {
        if (graph.entry_count() == 0) break;
        // A uniformly random entry of the rows.  The edge leads to the node whose row holds the entry.
        const std::size_t entry = random.below(graph.entry_count());
        std::size_t to = 0;
        while (graph.offsets()[to + 1] <= entry) ++to;
        requests.emplace_back(ForgetEdge{g, std::size_t{graph.entries()[entry]}, to});
        break;
      }
    }
  }
  return requests;
}

std::vector<std::size_t> sampled_places(std::size_t count, std::size_t points) {
  std::vector<std::size_t> places;
  if (points >= count) points = count;
  // Rounded to the nearest.  The last place is always `count`.
  for (std::size_t i = 1; i <= points; ++i) places.push_back((i * count + points / 2) / points);
  return places;
}

}  // namespace unscatter::experiment
