// The seed's Table 3: how often its method retrains while one node leaves each of 10 % of the training graphs; and that
// our default never does on the same runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "base/testing/seeded_random.h"
#include "experiment/frozen_degrees.h"
#include "support/data_folder.h"
#include "support/sanitized.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

struct Setting {
  std::string data_set;
  std::size_t scales, moments, layers;
  double regularisation;
  double retrains;  // [Pan23, Table 3]
};

// NOLINTNEXTLINE(readability-identifier-naming): the name by which googletest finds it
void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.data_set; }

// Hyper-parameters of [Pan23, Table 4], except that the published program uses Q = 2 on COLLAB.
const Setting kSettings[] = {
    {"IMDB-BINARY", 4, 3, 3, 1e-3, 3.3}, {"PROTEINS", 5, 4, 3, 1e-4, 7.2}, {"COLLAB", 3, 2, 2, 1e-4, 7.7}};
// Under sanitizers the arithmetic is the same, only slower: a few removals of one split look for errors of memory.
constexpr bool kWhole = !testing::kSanitized;
constexpr std::size_t kSplits = kWhole ? 10 : 1;

std::shared_ptr<const Embedder> embedder_for(const Setting& setting, const Dataset& dataset) {
  TransformSpec spec;
  spec.scales = setting.scales;
  spec.moments = setting.moments;
  spec.layers = setting.layers;
  spec.row_norm = RowNorm::kNone;
  return make_embedder("paper", spec, dataset, FitSource::once()).value();
}

struct Outcome {
  RungCounts rungs;
  bool always_satisfied = true;
  double largest_residual = 0;
};

// One node, chosen at random, from each of 10 % of the training graphs.
Outcome run(const Dataset& train, const std::shared_ptr<const Embedder>& embedder, const SessionOptions& options,
            std::uint64_t seed) {
  auto session = Session::create(train, embedder, options, std::make_unique<testing::SeededRandom>(seed)).value();
  Sequence random(seed);
  std::vector<std::size_t> order(train.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(std::span(order));
  const auto tenth = static_cast<std::size_t>(std::lround(0.1 * static_cast<double>(train.size())));
  const std::size_t removals = kWhole ? tenth : std::min<std::size_t>(tenth, 5);
  Outcome result;
  for (std::size_t r = 0; r < removals; ++r) {
    const std::size_t node = random.below(train.graphs[order[r]].node_count());
    const Certificate certificate = session.forget(ForgetNode{order[r], node}).value();
    result.always_satisfied = result.always_satisfied && certificate.satisfied;
    result.largest_residual = std::max(result.largest_residual, certificate.residual_upper_bound);
  }
  result.rungs = session.rungs();
  return result;
}

class Table3 : public ::testing::TestWithParam<Setting> {};

TEST_P(Table3, RetrainsAsInThePaperAndNeverByDefault) {
  UNSCATTER_REQUIRE_DATA(data);
  const Setting& setting = GetParam();
  const std::string file = setting.data_set == "COLLAB" ? "COLLAB_gin.zip" : setting.data_set + ".zip";
  const Dataset dataset = read_dataset(data / setting.data_set / file).value();
  const Dataset paper_dataset = has_only_degrees(dataset) ? with_frozen_degrees(dataset) : dataset;
  const auto embedder = embedder_for(setting, dataset);
  const auto paper_embedder = embedder_for(setting, paper_dataset);

  double retrains = 0;
  for (std::uint64_t seed = 0; seed < kSplits; ++seed) {
    const Split split = random_split(dataset.size(), {}, seed).value();
    const Outcome paper = run(subset(paper_dataset, split.train), paper_embedder,
                              paper_options(setting.regularisation, setting.layers), seed);
    EXPECT_TRUE(paper.always_satisfied);
    retrains += static_cast<double>(paper.rungs[Rung::kRetrain]) / kSplits;

    SessionOptions options;
    options.regularisation = setting.regularisation;
    const Outcome ours = run(subset(dataset, split.train), embedder, options, seed);
    EXPECT_TRUE(ours.always_satisfied);
    EXPECT_EQ(ours.rungs[Rung::kRetrain], 0u);
    EXPECT_EQ(ours.rungs.total(), paper.rungs.total());
  }
  RecordProperty("retrains", std::to_string(retrains));
  std::cout << setting.data_set << ": " << retrains << " retrains; the paper reports " << setting.retrains << "\n";
  if (kWhole) {
    EXPECT_NEAR(retrains, setting.retrains, 0.25 * setting.retrains);
  }
}

INSTANTIATE_TEST_SUITE_P(Paper, Table3, ::testing::ValuesIn(kSettings), [](const auto& setting) {
  std::string name = setting.param.data_set;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace unscatter
