#include <gtest/gtest.h>

#include <map>

#include "small_experiment.h"

namespace unscatter::experiment {
namespace {

using testing::kSmallParameters;
using testing::small_plan;
using testing::SmallExperiment;

UnlearningTask small_task() {
  UnlearningTask task;
  task.parameters = kSmallParameters;
  task.shares = {0.2, 0.1, 0.7};
  task.amount.share = 0.3;  // 12 of 40
  task.points = 4;
  task.long_points = 4;
  return task;
}

Json unlearn(const SmallExperiment& small, const std::string& method, const UnlearningTask& task) {
  return run_cell(small_plan("unlearning", method, task), *small.cache(), SmallExperiment::context()).value();
}

std::map<std::size_t, double> accuracies(const Json& result) {
  std::map<std::size_t, double> by_place;
  for (const Json& point : result.at("points")) by_place[point.at("removed")] = point.at("accuracy");
  return by_place;
}

TEST(Unlearning, CountsAndPlacesAreRight) {
  const SmallExperiment small;
  for (const char* method : {"ours-paper", "uu", "retrain", "release", "release-tombstone"}) {
    SCOPED_TRACE(method);
    const Json result = unlearn(small, method, small_task());
    EXPECT_EQ(result.at("removals"), 12);
    EXPECT_EQ(result.at("updates"), 12);
    EXPECT_EQ(result.at("sampled"), false);
    EXPECT_EQ(result.at("seconds_of_updates").size(), 12u);
    EXPECT_EQ(result.at("retrains"), result.at("rungs").at("retrain"));
    EXPECT_EQ(result.at("always_satisfied"), true);
    ASSERT_EQ(result.at("points").size(), 5u);
    double before = -1;
    for (std::size_t p = 0; p < 5; ++p) {
      EXPECT_EQ(result.at("points")[p].at("removed"), 3 * p);
      EXPECT_GT(result.at("points")[p].at("seconds"), before);
      before = result.at("points")[p].at("seconds");
    }
    EXPECT_EQ(before, result.at("seconds").get<double>());
  }
}

TEST(Unlearning, OnlyOurDefaultLetsDegreesFollow) {
  const SmallExperiment small;
  for (const char* method : {"ours-paper", "uu", "retrain", "release", "release-tombstone"}) {
    const std::string features = unlearn(small, method, small_task()).at("features");
    EXPECT_EQ(features.starts_with("degree-onehot:"), std::string_view(method) == "release") << method << features;
  }
}

TEST(Unlearning, OursNeverRetrainsAndThePaperDoes) {
  const SmallExperiment small;
  const Json ours = unlearn(small, "release", small_task());
  EXPECT_EQ(ours.at("retrains"), 0);
  EXPECT_LT(ours.at("largest_residual"), 1e-6);
  const Json paper = unlearn(small, "ours-paper", small_task());
  const Json whole = unlearn(small, "uu", small_task());
  EXPECT_LT(paper.at("retrains"), whole.at("retrains"));
}

// Retrain's state depends on the data alone, so training only in some places changes nothing there.
TEST(Unlearning, SampledRetrainingSeesTheSameModels) {
  const SmallExperiment small;
  UnlearningTask task = small_task();
  const Json whole = unlearn(small, "retrain", task);
  task.full_steps = 5;
  const Json sampled = unlearn(small, "retrain", task);
  EXPECT_EQ(sampled.at("sampled"), true);
  EXPECT_EQ(sampled.at("updates"), 4);
  EXPECT_EQ(sampled.at("single_removals"), 0);
  EXPECT_EQ(sampled.at("retrains"), 12) << "one training per removal, by definition";
  EXPECT_EQ(accuracies(sampled), accuracies(whole));
  // 12 removals at the mean of the four trainings.
  double sum = 0;
  for (const Json& seconds : sampled.at("seconds_of_updates")) sum += seconds.get<double>();
  EXPECT_NEAR(sampled.at("seconds"), sum / 4 * 12, 1e-9);
}

// Our way of forgetting ends where retraining on the same data does.
TEST(Unlearning, OursOnThePapersRemovalsIsAsGoodAsRetraining) {
  const SmallExperiment small;
  const auto ours = accuracies(unlearn(small, "release-tombstone", small_task()));
  const auto retrained = accuracies(unlearn(small, "retrain", small_task()));
  ASSERT_EQ(ours.size(), retrained.size());
  for (const auto& [place, accuracy] : ours)
    EXPECT_NEAR(accuracy, retrained.at(place), 1.0) << place;  // one graph is 0.7 %
}

TEST(Unlearning, UuCountsRetrainsOnlyWhereItGoesStepByStep) {
  const SmallExperiment small;
  UnlearningTask task = small_task();
  task.full_steps = 5;
  task.uu_steps = 4;
  const Json result = unlearn(small, "uu", task);
  EXPECT_EQ(result.at("sampled"), true);
  EXPECT_EQ(result.at("single_removals"), 4);
  EXPECT_EQ(result.at("retrains_of"), 4);
  EXPECT_LE(result.at("retrains"), 4);
  EXPECT_EQ(result.at("updates"), 4 + 3) << "singly to 4, then 6, 9 and 12";
  EXPECT_EQ(result.at("points").back().at("removed"), 12);
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += result.at("seconds_of_updates")[i].get<double>();
  EXPECT_NEAR(result.at("seconds"), sum / 4 * 12, 1e-9);
}

TEST(Unlearning, EveryKindOfRemovalRuns) {
  const SmallExperiment small;
  for (const RemovalKind kind : {RemovalKind::kFeatures, RemovalKind::kNode, RemovalKind::kEdge, RemovalKind::kGraph}) {
    for (const char* method : {"ours-paper", "release"}) {
      UnlearningTask task = small_task();
      task.kind = kind;
      const Json result = unlearn(small, method, task);
      EXPECT_EQ(result.at("removals"), 12) << name(kind) << method;
      EXPECT_EQ(result.at("always_satisfied"), true) << name(kind) << method;
    }
  }
}

// (A larger alpha need not: it widens the budget, and the weights with it.)
TEST(Unlearning, ALargerBudgetNeedsFewerRetrains) {
  const SmallExperiment small;
  UnlearningTask task = small_task();
  const auto retrains = [&] { return unlearn(small, "ours-paper", task).at("retrains").get<std::size_t>(); };
  task.epsilon = 0.01;
  const std::size_t strict = retrains();
  task.epsilon = 100;
  EXPECT_LT(retrains(), strict);
}

}  // namespace
}  // namespace unscatter::experiment
