#include <gtest/gtest.h>

#include "small_experiment.h"

namespace unscatter::experiment {
namespace {

using testing::kSmallParameters;
using testing::small_plan;
using testing::SmallExperiment;

Json classify(const SmallExperiment& small, const std::string& method, double lambda,
              const std::string& backbone = "gst") {
  ClassificationTask task{kSmallParameters, {0.3, 0.1, 0.6}, 0.1, {}, {}};
  task.parameters.regularisation = lambda;
  return run_cell(small_plan("classification", method, task, backbone), *small.cache(), SmallExperiment::context())
      .value();
}

TEST(Classification, LearnsWhatThereIsToLearn) {
  const SmallExperiment small;
  const Json plain = classify(small, "noise-free", 1e-3);
  EXPECT_GT(plain.at("accuracy"), 65.0);
  EXPECT_LE(plain.at("accuracy"), 100.0);
  EXPECT_EQ(plain.at("train_graphs"), 60);
  EXPECT_EQ(plain.at("test_graphs"), 120);
  for (const char* part : {"embed_seconds", "train_seconds", "predict_seconds"}) EXPECT_GT(plain.at(part), 0.0) << part;
  // Our noise is far below what decides between classes; one graph in 120 is 0.83 %.
  EXPECT_NEAR(classify(small, "release", 1e-3).at("accuracy"), plain.at("accuracy").get<double>(), 1.0);
}

TEST(Classification, WithoutRegularisationASmallLambdaMayTakeOver) {
  const SmallExperiment small;
  const Json result = classify(small, "noise-free", 0);
  EXPECT_GT(result.at("lambda"), 0.0) << "fewer graphs than coordinates: no minimum";
  EXPECT_TRUE(result.contains("remark"));
  EXPECT_FALSE(classify(small, "noise-free", 1e-3).contains("remark"));
}

TEST(Classification, NoiseInTheObjectiveMovesTheWeights) {
  const SmallExperiment small;
  EXPECT_NE(classify(small, "objective", 1e-3).at("accuracy"), classify(small, "noise-free", 1e-3).at("accuracy"));
}

TEST(Classification, ADefaultWithoutRegularisationIsRefused) {
  const SmallExperiment small;
  ClassificationTask task{kSmallParameters, {0.3, 0.1, 0.6}, 0.1, {}, {}};
  task.parameters.regularisation = 0;
  const auto result =
      run_cell(small_plan("classification", "release", task), *small.cache(), SmallExperiment::context());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
}

TEST(Classification, FourierRunsToo) {
  const SmallExperiment small;
  EXPECT_LT(classify(small, "noise-free", 1e-3, "gft").at("coordinates"),
            classify(small, "noise-free", 1e-3, "gst").at("coordinates"));
}

}  // namespace
}  // namespace unscatter::experiment
