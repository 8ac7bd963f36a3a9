#include "embedding/fit_sample.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "store/streamed_data.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using testing::file_data;

std::vector<Digest> digests(const std::vector<Graph>& graphs) {
  std::vector<Digest> all;
  for (const Graph& graph : graphs) all.push_back(content_digest(graph));
  return all;
}

// Of few graphs, whose fit is that of all.
TEST(FitSample, IsFittedAsAllGraphsAre) {
  const Dataset data = file_data(200, {.attributes = 1, .labels = true, .late = 150});
  for (const char* rule : {"all", "labels", "degree-onehot", "labels+degree-onehot"}) {
    SCOPED_TRACE(rule);
    FitSample sample(rule, FitSource::private_refit(), false);
    for (const Graph& graph : data.graphs) sample.show(graph);
    EXPECT_EQ(FeatureMap::resolve(rule, sample.graphs(), FitSource::private_refit())->describe(),
              FeatureMap::resolve(rule, data, FitSource::private_refit())->describe());
    EXPECT_LT(sample.graphs().graphs.size(), 20u);
  }
}

// Each process shows the graphs of its own part, and the first one the samples of all, in their order.
TEST(FitSample, OfSamplesOfPartsIsThatOfTheWhole) {
  const Dataset data = file_data(300, {.directed = true, .labels = true, .late = 200});
  for (const char* rule : {"labels", "degree-onehot", "product(labels,degree-onehot)", "log-degree"}) {
    for (const bool symmetrise : {false, true}) {
      FitSample whole(rule, FitSource::private_refit(), symmetrise);
      for (const Graph& graph : data.graphs) whole.show(graph);
      const std::vector<Digest> expected = digests(whole.take());
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(std::string(rule) + ", seed " + std::to_string(seed));
        Sequence random(seed);
        FitSample joined(rule, FitSource::private_refit(), symmetrise);
        for (std::size_t begin = 0; begin < data.size();) {
          const std::size_t end = std::min(data.size(), begin + 1 + random.below(120));
          FitSample part(rule, FitSource::private_refit(), symmetrise);
          for (std::size_t i = begin; i < end; ++i) part.show(data.graphs[i]);
          for (const Graph& graph : part.take()) joined.show(graph);
          begin = end;
        }
        EXPECT_EQ(digests(joined.take()), expected);
      }
    }
  }
}

// What is fitted on public data does not change with others: one graph is kept, for its form.
TEST(FitSample, LooksAtNoOtherDataWhereConstantsArePublic) {
  const Dataset open = file_data(10, {.labels = true}, 2);
  const Dataset data = file_data(10, {.labels = true});
  FitSample sample("labels", FitSource::on_public(open), false);
  EXPECT_TRUE(sample.show(data.graphs[0]));
  for (std::size_t g = 1; g < data.size(); ++g) EXPECT_FALSE(sample.show(data.graphs[g]));
  EXPECT_EQ(sample.graphs().graphs.size(), 1u);
}

}  // namespace
}  // namespace unscatter
