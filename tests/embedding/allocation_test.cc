// A steady state allocates nothing: counted by replacing the global allocation functions, hence in a program of its
// own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support/random_graph.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/embedding/walk_scattering.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// GCC, seeing operator new inlined and operator delete not yet, takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
// NOLINTBEGIN(cppcoreguidelines-no-malloc): what replaces the global functions cannot use them.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace unscatter {
namespace {

TEST(SteadyState, EmbeddingAllocatesNothing) {
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    graphs.push_back(testing::random_graph(seed, {.nodes = 10 + seed, .attributes = 2}));
  for (const WalkOperator op : {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric}) {
    std::vector<EmbeddingBlock> blocks;
    for (int b = 0; b < 2; ++b) {
      blocks.push_back(
          {FeatureMap::parse("degree-onehot:30+product(attributes:2,constant)").value(),
           make_walk_scattering(op, 4, {.layers = 3, .moments = 3, .low_pass = LowPass::kDegree}).value()});
    }
    const Embedder embedder(std::move(blocks));
    Embedder::Scratch scratch = embedder.make_scratch();
    BlockRow row;
    const auto embed_all = [&] {
      for (const Graph& graph : graphs) ASSERT_TRUE(embedder.embed(graph, scratch, row).ok());
    };
    embed_all();  // warm-up: the largest graph sizes every buffer
    const std::size_t before = allocations;
    embed_all();
    EXPECT_EQ(allocations - before, 0u);
  }
}

// Recipes of parts, directed graphs included.
TEST(SteadyState, RecipesAllocateNothing) {
  Dataset data;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::RandomGraphOptions options = testing::kWeightedGraph;
    options.nodes = 10 + seed;
    options.directed = seed % 2 == 0;
    options.attributes = 3;
    data.graphs.push_back(testing::random_graph(seed, options));
  }
  for (const std::string_view recipe :
       {"social", "molecule", "image", "drawing", "general", "clustering + label-shapes + paths + attribute-sums",
        "edge-kinds + jaccard + profile + walk-waves + spectrum + scattering + network"}) {
    SCOPED_TRACE(recipe);
    TransformSpec spec;
    spec.family = "blocks";
    spec.recipe = recipe;
    const auto embedder = make_embedder(recipe_features(recipe), spec, data).value();
    Embedder::Scratch scratch = embedder->make_scratch();
    BlockRow row;
    const auto embed_all = [&] {
      for (const Graph& graph : data.graphs) ASSERT_TRUE(embedder->embed(graph, scratch, row).ok());
    };
    embed_all();
    const std::size_t before = allocations;
    embed_all();
    EXPECT_EQ(allocations - before, 0u);
  }
}

TEST(SteadyState, TheCounterCounts) {
  const std::size_t before = allocations;
  std::vector<double> memory(1000);
  EXPECT_GT(allocations, before) << memory.size();
}

}  // namespace
}  // namespace unscatter
