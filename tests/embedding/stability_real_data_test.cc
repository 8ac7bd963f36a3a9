// The stability bounds on real graphs.  A one-hot signal X has |X|_F^2 = g, so with one moment and the mean as low-pass
// the bounds hold for all channels together: |z| <= F, and |z - z'| <= F / sqrt(g) when one node loses its features.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/data_folder.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

constexpr std::size_t kLayers = 3;

Embedder one_hot_embedder(const TransformSpec& spec, const Dataset& dataset) {
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::resolve("paper", dataset, FitSource::once()).value(), make_transform(spec).value()});
  return Embedder(std::move(blocks));
}

void expect_stable(const Dataset& dataset, const TransformSpec& spec, double frame_bound) {
  const Embedder embedder = one_hot_embedder(spec, dataset);
  const double F = embedding_norm_bound(frame_bound, kLayers);
  double largest_norm = 0;
  double largest_change = 0;
  SparseBlockRows pair(2, embedder.width());
  for (std::size_t g = 0; g < dataset.size(); g += 7) {
    const Graph& graph = dataset.graphs[g];
    if (graph.node_count() > 80) continue;  // keeps eigendecompositions quick under sanitizers
    pair.set_row(0, embedder.embed(graph).value());
    pair.set_row(1,
                 reembed(embedder, graph, RemoveFeatures{static_cast<NodeIndex>(g % graph.node_count())}).value()->row);
    const RowMatrix z = pair.to_dense();
    largest_norm = std::max(largest_norm, z.row(0).norm() / F);
    const double root = std::sqrt(static_cast<double>(graph.node_count()));
    largest_change = std::max(largest_change, (z.row(0) - z.row(1)).norm() * root / F);
  }
  EXPECT_GT(largest_norm, 0.1);  // the graphs were really looked at
  EXPECT_LE(largest_norm, 1 + 1e-12);
  EXPECT_GT(largest_change, 0);
  EXPECT_LE(largest_change, 1 + 1e-12);
}

TEST(StabilityOnRealData, TightFrame) {
  UNSCATTER_REQUIRE_DATA(data);
  for (const char* name : {"MUTAG", "PROTEINS", "IMDB-BINARY"}) {
    SCOPED_TRACE(name);
    const Dataset dataset = read_dataset(data / name / (std::string(name) + ".zip")).value();
    TransformSpec spec;
    spec.scales = 3;
    spec.moments = 1;
    spec.layers = kLayers;
    spec.family = "itersine";
    expect_stable(dataset, spec, 1.0);
  }
}

}  // namespace
}  // namespace unscatter
