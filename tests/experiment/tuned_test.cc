#include <gtest/gtest.h>

#include "experiment/published_accuracy.h"
#include "small_experiment.h"
#include "unlearn/tuning.h"
#include "unscatter/learn/train.h"

namespace unscatter::experiment {
namespace {

using testing::small_plan;
using testing::SmallExperiment;

TunedTask small_tuned_task() {
  TunedTask task;
  task.recipes = {"size + shapes > scale:0.1", "size"};
  task.grids = {{Loss::logistic(), {1e-4, 1e-2, 1}}, {Loss::squared(), {1e-4, 1e-2}}};
  task.shares = {0.3, 0.3, 0.4};
  task.folds = 3;
  return task;
}

// Every choice follows from its own curves, and its accuracy is that of a model trained here.
TEST(TunedCell, ChoosesByItsCurvesAndTrains) {
  const SmallExperiment small;
  const auto cache = small.cache();
  const TunedTask task = small_tuned_task();
  const Json result =
      run_cell(small_plan("accuracy", "tuned", task, "auto"), *cache, SmallExperiment::context()).value();
  const Split split = random_split(cache->dataset().size(), task.shares, 3).value();
  for (const char* goal : {"removed", "noise-free", "everyone", "validated"}) {
    const Json& choice = result.at(goal);
    // Level everyone has the logistic loss, and the others have the squared one.
    EXPECT_EQ(choice.at("curves").size(), 2u) << goal;
    EXPECT_EQ(choice.at("loss"), std::string_view(goal) == "everyone" ? "logistic" : "squared");
    std::vector<TuningCurve> curves;
    for (const Json& curve : choice.at("curves")) {
      curves.push_back({curve.at("recipe"), Loss::parse(curve.at("loss").get<std::string>()).value(),
                        curve.at("lambdas"), curve.at("accuracies")});
    }
    const TuningChoice expected = std::string_view(goal) == "everyone"
                                      ? best_choice(curves)
                                      : cautious_choice(curves, 1e-5, split.validation.size());
    EXPECT_EQ(choice.at("recipe"), curves[expected.curve].name) << goal;
    EXPECT_EQ(choice.at("loss"), curves[expected.curve].loss.describe()) << goal;
    EXPECT_EQ(choice.at("lambda"), curves[expected.curve].lambdas[expected.lambda]) << goal;

    const EmbeddedData& data = *cache->embedded(choice.at("recipe").get<std::string>()).value();
    const SplitRows learned = rows_of_split(data, split.train);
    const double ridge = choice.at("lambda").get<double>() * static_cast<double>(split.train.size());
    const Matrix weights = train(Objective(learned.rows, learned.labels, data.dataset->class_names.size(),
                                           Loss::parse(choice.at("loss").get<std::string>()).value(), ridge))
                               .value()
                               .weights;
    EXPECT_NEAR(choice.at("accuracy").get<double>(), accuracy_percent(data, split.test, weights, 1), 1e-9) << goal;
  }
  EXPECT_EQ(result.at("noise-free").at("noise_stddev"), 0);
  EXPECT_EQ(result.at("removed").at("noise_stddev"), SessionOptions{}.noise_stddev);
  EXPECT_GT(result.at("everyone").at("noise_stddev").get<double>(), SessionOptions{}.noise_stddev);
}

// Graphs that are private change no choice, apart from the one that says that it looks at them.
TEST(TunedCell, ChoicesDoNotDependOnPrivateGraphs) {
  const SmallExperiment small;
  const TunedTask task = small_tuned_task();
  TunedTask fewer = task;
  // The public graphs are those between the two places, so other shares to train on would move them.  The test graphs
  // are not looked at by any choice: half of them gives the same curves.
  fewer.shares.test = 0.2;
  const auto run = [&](const TunedTask& which) {
    return run_cell(small_plan("accuracy", "tuned", which, "auto"), *small.cache(), SmallExperiment::context()).value();
  };
  const Json one = run(task);
  const Json two = run(fewer);
  EXPECT_NE(one.at("test_graphs"), two.at("test_graphs"));
  for (const char* goal : {"removed", "noise-free", "everyone", "validated"}) {
    EXPECT_EQ(one.at(goal).at("curves"), two.at(goal).at("curves")) << goal;
  }
}

TEST(TunedCell, LambdasFollowTheScaleOfTheRecipe) {
  const SmallExperiment small;
  TunedTask task = small_tuned_task();
  task.folds = 1;
  const Json result =
      run_cell(small_plan("accuracy", "tuned", task, "auto"), *small.cache(), SmallExperiment::context()).value();
  const Json& curves = result.at("removed").at("curves");
  EXPECT_NEAR(curves[0].at("lambdas")[0].get<double>(), 1e-6, 1e-18);
  EXPECT_NEAR(curves[1].at("lambdas")[0].get<double>(), 1e-4, 1e-16);
}

}  // namespace
}  // namespace unscatter::experiment
