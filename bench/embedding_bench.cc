// Google Benchmark of the embedding kernel on synthetic graphs that are shaped like the data sets.  No files are
// needed, and one thread runs.
//
//   embedding_bench --benchmark_filter=mnist
//
// GFLOP/s counts the operations that the algorithm must do (walk_scattering_cost), without padding.
#include <benchmark/benchmark.h>

#include <vector>

#include "unscatter/base/random.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/walk_scattering.h"

namespace unscatter {
namespace {

struct Shape {
  std::size_t nodes;
  std::size_t degree;
  bool directed;
  std::size_t channels;  // attributes per node; 0: one-hot degrees
  std::size_t scales;
  std::size_t moments;
  std::size_t layers;
};

constexpr Shape kImdb{20, 9, false, 0, 4, 3, 3};
constexpr Shape kProteins{39, 4, false, 3, 5, 4, 3};
constexpr Shape kCollab{75, 60, false, 0, 3, 2, 2};
constexpr Shape kCollabLarge{450, 300, false, 0, 3, 2, 2};
constexpr Shape kMnist{71, 8, true, 1, 5, 4, 3};
constexpr Shape kCifar{118, 8, true, 3, 5, 4, 3};
constexpr Shape kReddit{430, 3, false, 0, 4, 3, 3};

Graph make_graph(const Shape& shape, std::uint64_t seed) {
  Sequence random(seed);
  GraphParts parts;
  parts.node_count = shape.nodes;
  parts.directed = shape.directed;
  const auto n = static_cast<NodeIndex>(shape.nodes);
  for (NodeIndex i = 0; i < n; ++i) {
    const std::size_t edges = shape.directed ? shape.degree : shape.degree / 2;
    for (std::size_t k = 0; k < edges; ++k) parts.edges.push_back({i, static_cast<NodeIndex>(random.below(n))});
  }
  parts.attribute_count = shape.channels;
  for (std::size_t k = 0; k < shape.nodes * shape.channels; ++k) parts.attributes.push_back(random.unit());
  return Graph::create(std::move(parts)).value();
}

Embedder make_embedder(const Shape& shape, WalkOperator op, const Dataset& dataset) {
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back(
      {FeatureMap::resolve(shape.channels == 0 ? "degree-onehot" : "attributes", dataset, FitSource::once()).value(),
       make_walk_scattering(op, shape.scales, {.layers = shape.layers, .moments = shape.moments}).value()});
  return Embedder(std::move(blocks));
}

void embed(benchmark::State& state, const Shape& shape, WalkOperator op) {
  Dataset dataset;
  for (std::uint64_t seed = 0; seed < 64; ++seed) dataset.graphs.push_back(make_graph(shape, seed));
  const Embedder embedder = make_embedder(shape, op, dataset);
  Embedder::Scratch scratch = embedder.make_scratch();
  BlockRow row;
  double flops = 0;
  std::size_t next = 0;
  const std::size_t tree = scattering_tree_size(shape.scales, shape.layers);
  for (auto _ : state) {
    const Graph& graph = dataset.graphs[next++ % dataset.size()];
    benchmark::DoNotOptimize(embedder.embed(graph, scratch, row).ok());
    const std::size_t active = row.values.size() / (tree * shape.moments);
    flops += walk_scattering_cost(graph.node_count(), graph.entry_count(), active, shape.scales,
                                  {.layers = shape.layers, .moments = shape.moments})
                 .flops;
  }
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(embed, imdb_row, kImdb, WalkOperator::kRow);
BENCHMARK_CAPTURE(embed, imdb_column, kImdb, WalkOperator::kColumn);
BENCHMARK_CAPTURE(embed, imdb_symmetric, kImdb, WalkOperator::kSymmetric);
BENCHMARK_CAPTURE(embed, proteins_row, kProteins, WalkOperator::kRow);
BENCHMARK_CAPTURE(embed, collab_row, kCollab, WalkOperator::kRow);
BENCHMARK_CAPTURE(embed, collab_column, kCollab, WalkOperator::kColumn);
BENCHMARK_CAPTURE(embed, collab_large_row, kCollabLarge, WalkOperator::kRow);
BENCHMARK_CAPTURE(embed, mnist_row, kMnist, WalkOperator::kRow);
BENCHMARK_CAPTURE(embed, mnist_column, kMnist, WalkOperator::kColumn);
BENCHMARK_CAPTURE(embed, cifar_row, kCifar, WalkOperator::kRow);
BENCHMARK_CAPTURE(embed, reddit_row, kReddit, WalkOperator::kRow);

}  // namespace
}  // namespace unscatter

BENCHMARK_MAIN();
