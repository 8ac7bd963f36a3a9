#include <gtest/gtest.h>

#include "small_experiment.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"

namespace unscatter::experiment {
namespace {

using testing::small_plan;
using testing::SmallExperiment;

// The cell once more, from the graphs on: embedded, split, trained and counted here.
TEST(RecipeCell, IsWhatTrainingFromScratchGives) {
  const SmallExperiment small;
  RecipeTask task;
  task.recipe = "size + shapes*2 > fourier:64:0.5:1 > scale:0.1";
  task.lambda = 1e-4;
  task.shares = {0.4, 0.1, 0.5};
  const Json result =
      run_cell(small_plan("accuracy", "built-in", task, "auto"), *small.cache(), SmallExperiment::context()).value();

  const auto cache = small.cache();
  const Dataset& dataset = cache->dataset();
  TransformSpec spec;
  spec.family = "blocks";
  spec.recipe = task.recipe;
  const auto embedder = make_embedder("none", spec, dataset).value();
  const Split split = random_split(dataset.size(), task.shares, 3).value();
  const auto part = [&](const std::vector<std::size_t>& chosen) { return subset(dataset, chosen); };
  const Dataset learned = part(split.train);
  const Dataset others = part(split.test);
  const SparseBlockRows rows = embedder->embed(learned).value();
  const double ridge = task.lambda * static_cast<double>(learned.size());
  const Matrix weights =
      train(Objective(rows, learned.labels, dataset.class_names.size(), task.loss, ridge)).value().weights;
  EXPECT_NEAR(result.at("accuracy").get<double>(),
              100 * accuracy(embedder->embed(others).value(), others.labels, weights), 1e-9);
  EXPECT_EQ(result.at("coordinates"), 64);
  EXPECT_EQ(result.at("train_graphs"), learned.size());
  EXPECT_EQ(result.at("noise_stddev"), SessionOptions{}.noise_stddev);
  EXPECT_NEAR(result.at("noisy_accuracy").get<double>(), result.at("expected_accuracy").get<double>(), 3);
}

TEST(RecipeCell, AWrongRecipeIsAnError) {
  const SmallExperiment small;
  RecipeTask task;
  task.recipe = "size + shape";
  EXPECT_EQ(run_cell(small_plan("accuracy", "built-in", task, "auto"), *small.cache(), SmallExperiment::context())
                .error()
                .code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter::experiment
