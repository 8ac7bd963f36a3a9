#include "experiment/gin.h"

#include <gtest/gtest.h>

#include <utility>

#include "unscatter/base/invariant.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/split.h"

namespace unscatter {
namespace {

constexpr GinOptions kQuick{.hidden = 16, .learning_rate = 1e-2, .epochs = 30, .batch = 32, .seed = 4};

struct Learning {
  Dataset dataset = generate_interest_groups({.groups = 300, .noise = 0.05, .seed = 2}).value();
  Split split = random_split(300, {.train = 0.5, .validation = 0, .test = 0.5}, 3).value();
};

double share_right(const Learning& learning, const GinResult& result) {
  double right = 0;
  for (std::size_t i = 0; i < learning.split.test.size(); ++i) {
    right += result.predictions[i] == learning.dataset.labels[learning.split.test[i]] ? 1 : 0;
  }
  return right / static_cast<double>(learning.split.test.size());
}

TEST(Gin, IsThere) { EXPECT_TRUE(gin_available()); }

// Half of the groups are of each kind.
TEST(Gin, LearnsWhatStructureTells) {
  const Learning learning;
  const GinResult result = train_gin(learning.dataset, learning.split.train, learning.split.test, kQuick).value();
  ASSERT_EQ(result.predictions.size(), learning.split.test.size());
  EXPECT_EQ(result.epochs, 30U);
  EXPECT_GT(result.train_seconds, 0);
  EXPECT_GT(result.predict_seconds, 0);
  EXPECT_GE(share_right(learning, result), 0.75);
}

// The same without its labels: what is learnt above comes from them.
TEST(Gin, LearnsNothingFromLabelsThatMeanNothing) {
  Learning learning;
  for (std::size_t i = 0; i < learning.dataset.labels.size(); ++i)
    learning.dataset.labels[i] = (i * 2654435761U >> 7U) % 2;
  const GinResult result = train_gin(learning.dataset, learning.split.train, learning.split.test, kQuick).value();
  EXPECT_LE(share_right(learning, result), 0.65);
}

// Otherwise the accuracy would be no forecast.
TEST(Gin, LabelsOfTestGraphsChangeNothing) {
  Learning learning;
  GinOptions options = kQuick;
  options.epochs = 3;  // before it is sure of everything
  const auto predictions = [&] {
    return train_gin(learning.dataset, learning.split.train, learning.split.test, options).value().predictions;
  };
  const auto turn_labels = [&](const std::vector<std::size_t>& graphs) {
    for (const std::size_t i : graphs) learning.dataset.labels[i] = 1 - learning.dataset.labels[i];
  };
  const std::vector<std::uint32_t> first = predictions();
  turn_labels(learning.split.test);
  EXPECT_EQ(predictions(), first);
  turn_labels(learning.split.train);
  EXPECT_NE(predictions(), first) << "those of training graphs count";
}

// Paths of three nodes that lie on the left or on the right.
TEST(Gin, PositionsAreSeenIfTheyAreAskedFor) {
  Dataset paths;
  paths.class_names = {"left", "right"};
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
  for (std::uint32_t i = 0; i < 120; ++i) {
    const double x = (i % 2) + 0.001 * i;
    GraphParts parts;
    parts.node_count = 3;
    parts.edges = {{0, 1}, {1, 2}};
    parts.positions = {x, 0, x, 0.5, x, 1};
    paths.graphs.push_back(Graph::create(std::move(parts)).value());
    paths.labels.push_back(i % 2);
    (i < 60 ? train : test).push_back(i);
  }
  GinOptions options = kQuick;
  const auto share = [&] {
    const GinResult result = train_gin(paths, train, test, options).value();
    double right = 0;
    for (std::size_t i = 0; i < test.size(); ++i) right += result.predictions[i] == paths.labels[test[i]] ? 1 : 0;
    return right / static_cast<double>(test.size());
  };
  EXPECT_EQ(share(), 0.5) << "without positions all graphs are equal";
  options.positions = true;
  EXPECT_GE(share(), 0.95);

  const Learning without_positions;
  const auto result =
      train_gin(without_positions.dataset, without_positions.split.train, without_positions.split.test, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
}

TEST(Gin, OneSeedGivesOneResultAndAnotherAnother) {
  const Learning learning;
  GinOptions options = kQuick;
  options.epochs = 2;  // before all agree
  const auto predictions = [&] {
    return train_gin(learning.dataset, learning.split.train, learning.split.test, options).value().predictions;
  };
  const std::vector<std::uint32_t> first = predictions();
  EXPECT_EQ(predictions(), first);
  options.seed = 5;
  EXPECT_NE(predictions(), first);
}

TEST(Gin, BatchesNeedNotDivideTheGraphs) {
  const Learning learning;
  GinOptions options = kQuick;
  options.epochs = 1;
  options.batch = 149;
  const auto result = train_gin(learning.dataset, learning.split.train, learning.split.test, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().predictions.size(), 150U);
}

TEST(Gin, WrongOptionsAreErrors) {
  const Learning learning;
  const auto code = [&](std::span<const std::size_t> train, auto&& change) {
    GinOptions options = kQuick;
    change(options);
    const auto result = train_gin(learning.dataset, train, learning.split.test, options);
    return result.ok() ? ErrorCode::kIo : result.error().code;
  };
  const auto as_it_is = [](GinOptions&) {};
  EXPECT_EQ(code({}, as_it_is), ErrorCode::kInvalidArgument);
  const auto& train = learning.split.train;
  EXPECT_EQ(code(train, [](GinOptions& o) { o.layers = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(train, [](GinOptions& o) { o.hidden = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(train, [](GinOptions& o) { o.epochs = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(train, [](GinOptions& o) { o.batch = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(train, [](GinOptions& o) { o.learning_rate = 0; }), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
