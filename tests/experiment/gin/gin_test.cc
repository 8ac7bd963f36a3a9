#include "experiment/gin.h"

#include <gtest/gtest.h>

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
