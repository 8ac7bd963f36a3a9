#include <gtest/gtest.h>

#include "small_experiment.h"

namespace unscatter::experiment {
namespace {

using testing::kSmallParameters;
using testing::small_plan;
using testing::SmallExperiment;

TEST(Noise, LittleNoiseCostsNothingAndMuchNoiseCostsEverything) {
  const SmallExperiment small;
  NoiseTask task;
  task.parameters = kSmallParameters;
  task.shares = {0.4, 0.1, 0.5};
  task.noises = {1e-9, 1e-2, 1e6};
  const Json result =
      run_cell(small_plan("noise", "release", task, "default"), *small.cache(), SmallExperiment::context()).value();
  const auto plain = result.at("accuracy").get<double>();
  EXPECT_GT(plain, 80);
  EXPECT_LE(result.at("largest_row_norm").get<double>(), 1);
  EXPECT_EQ(result.at("features"), "soft-degree:16");
  ASSERT_EQ(result.at("noisy_accuracy").size(), 3u);
  EXPECT_NEAR(result.at("noisy_accuracy")[0].get<double>(), plain, 1e-9);
  EXPECT_LT(result.at("noisy_accuracy")[2].get<double>(), plain - 10);
}

}  // namespace
}  // namespace unscatter::experiment
