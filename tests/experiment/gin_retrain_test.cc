#include <gtest/gtest.h>

#include "small_experiment.h"

namespace unscatter::experiment {
namespace {

using testing::small_plan;
using testing::SmallExperiment;

TEST(GinRetrain, TrainsInSomePlacesOrSaysWhyNot) {
  const SmallExperiment small;
  GinRetrainTask task{{0.2, 0.1, 0.7}, {0.5}, 2, {}};
  task.gin.epochs = 2;
  const auto result =
      run_cell(small_plan("extreme", "gin-retrain", task, "gin"), *small.cache(), SmallExperiment::context());
  if (!gin_available()) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
    return;
  }
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->at("points").size(), 3u);
  EXPECT_EQ(result->at("points")[1].at("removed"), 10);
  EXPECT_EQ(result->at("points")[2].at("removed"), 20);
  EXPECT_EQ(result->at("sampled"), true);
  EXPECT_EQ(result->at("updates"), 2);
  for (const Json& point : result->at("points")) {
    EXPECT_GE(point.at("accuracy"), 0.0);
    EXPECT_LE(point.at("accuracy"), 100.0);
  }
}

}  // namespace
}  // namespace unscatter::experiment
