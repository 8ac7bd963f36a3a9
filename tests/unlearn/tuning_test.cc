#include "unlearn/tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/random_rows.h"
#include "unlearn/limit.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

struct TuningCase {
  SparseBlockRows rows{0, 6};
  std::vector<std::uint32_t> labels;
  [[nodiscard]] TuningRows labelled(std::size_t classes = 3) const { return {&rows, labels, classes}; }
};

// Rows whose largest of three coordinates is the class, mostly.
TuningCase tuning_case(std::size_t count) {
  TuningCase made;
  for (std::size_t i = 0; i < count; ++i) {
    BlockRow row = testing::random_row(i, 6, 1, 0.4);
    made.labels.push_back(static_cast<std::uint32_t>(i % 3));
    row.values[i % 3] += 0.3;
    made.rows.append_row(row);
  }
  return made;
}

TEST(Tuning, EveryRowIsHeldOutOnce) {
  const auto folds = cross_folds(23, 5, 3).value();
  ASSERT_EQ(folds.size(), 5u);
  std::multiset<std::size_t> held_out;
  for (const TuningFold& fold : folds) {
    EXPECT_EQ(fold.learned.size() + fold.held_out.size(), 23u);
    EXPECT_GE(fold.held_out.size(), 4u);
    for (const std::size_t place : fold.held_out) {
      held_out.insert(place);
      EXPECT_EQ(std::count(fold.learned.begin(), fold.learned.end(), place), 0);
    }
  }
  EXPECT_EQ(held_out.size(), 23u);
  EXPECT_EQ(std::set<std::size_t>(held_out.begin(), held_out.end()).size(), 23u);
  EXPECT_EQ(cross_folds(23, 5, 3).value()[0].held_out, folds[0].held_out);
  EXPECT_NE(cross_folds(23, 5, 4).value()[0].held_out, folds[0].held_out);
}

TEST(Tuning, FoldsThatCannotBeAreRefused) {
  EXPECT_FALSE(cross_folds(10, 1, 0).ok());
  EXPECT_FALSE(cross_folds(10, 11, 0).ok());
  EXPECT_FALSE(hold_out_fold(10, 0.01, 0).ok());
  EXPECT_FALSE(hold_out_fold(10, 1, 0).ok());
  const auto fold = hold_out_fold(10, 0.3, 0).value();
  ASSERT_EQ(fold.size(), 1u);
  EXPECT_EQ(fold[0].held_out.size(), 3u);
  EXPECT_EQ(fold[0].learned.size(), 7u);
}

TEST(Tuning, WeightsAreMinimaInTheOrderOfTheRidges) {
  const TuningCase made = tuning_case(30);
  const double ridges[] = {0.3, 3, 0.03};
  for (const Loss& loss : {Loss::logistic(), Loss::squared()}) {
    const auto weights = weights_at(made.labelled(), loss, ridges, 1).value();
    ASSERT_EQ(weights.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const Matrix exact = train(Objective(made.rows, made.labels, 3, loss, ridges[i])).value().weights;
      // |gradient| / ridge bounds the distance, class by class.
      EXPECT_LE((weights[i] - exact).norm(), 2e-4) << loss.describe() << ", ridge " << ridges[i];
    }
  }
}

// The same by hand: train on the one part, count on the other.
TEST(Tuning, ACurveWithoutNoiseIsTheAccuracyOnRowsThatAreHeldOut) {
  const TuningCase made = tuning_case(60);
  const auto folds = cross_folds(60, 3, 1).value();
  const std::vector<double> lambdas = {1e-3, 1e-1};
  PublishedNoise none;
  none.session.noise_stddev = 0;
  const auto curves = measure_curves(made.labelled(), folds, Loss::logistic(), lambdas, std::span(&none, 1), 1).value();
  ASSERT_EQ(curves.size(), 1u);
  for (std::size_t at = 0; at < lambdas.size(); ++at) {
    double right = 0;
    for (const TuningFold& fold : folds) {
      SparseBlockRows learned(0, 6);
      std::vector<std::uint32_t> labels;
      for (const std::size_t place : fold.learned) {
        learned.append_row(made.rows.row(place));
        labels.push_back(made.labels[place]);
      }
      const double ridge = lambdas[at] * static_cast<double>(labels.size());
      const Matrix weights = train(Objective(learned, labels, 3, Loss::logistic(), ridge)).value().weights;
      for (const std::size_t place : fold.held_out) {
        if (predict(made.rows.row(place), weights) == made.labels[place]) ++right;
      }
    }
    EXPECT_NEAR(curves[0].accuracies[at], 100 * right / 60, 1e-9);
  }
}

TEST(Tuning, NoiseCostsAccuracyOnTheSameModels) {
  const TuningCase made = tuning_case(60);
  const auto folds = cross_folds(60, 3, 1).value();
  std::vector<PublishedNoise> noises(3);
  noises[0].session.noise_stddev = 0;
  noises[1].session.noise_stddev = 1e-9;
  noises[2].session.noise_stddev = 1e6;
  const auto curves = measure_curves(made.labelled(), folds, Loss::squared(), {1e-2}, noises, 1).value();
  EXPECT_NEAR(curves[0].accuracies[0], curves[1].accuracies[0], 1e-6);
  EXPECT_GT(curves[0].accuracies[0], 50);
  EXPECT_NEAR(curves[2].accuracies[0], 100.0 / 3, 0.1) << "nothing but noise is a guess among three";
}

TEST(Tuning, LevelEveryoneHasTheNoiseOfASession) {
  PublishedNoise noise;
  noise.session.protection = Protection::kEveryone;
  noise.session.per_subject = 1;
  noise.session.releases = 1;
  noise.graphs = 200;
  SessionOptions options = noise.session;
  options.ridge = 0.01 * 200;
  const double stddev = published_stddev(noise, Loss::logistic(), 0.01, 6, 3).value();
  EXPECT_EQ(stddev, Limit::create(options, 18, 3).value().promise().noise_stddev);
  EXPECT_LT(published_stddev(noise, Loss::logistic(), 0.1, 6, 3).value(), stddev) << "a larger ridge needs less";
  EXPECT_FALSE(published_stddev(noise, Loss::squared(), 0.01, 6, 3).ok()) << "its slope has no bound";
}

TEST(Tuning, NeighboursAreSmoothedOneTwoOne) {
  const double values[] = {10, 20, 60, 20};
  const std::vector<double> expected = {40.0 / 3, 27.5, 40, 100.0 / 3};
  const std::vector<double> result = smoothed(values);
  ASSERT_EQ(result.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(result[i], expected[i]);
  const double one[] = {7};
  EXPECT_EQ(smoothed(one), std::vector<double>{7});
}

TEST(Tuning, EqualsGoToTheFirstCurveAndTheLargestLambda) {
  const std::vector<double> lambdas = {1e-4, 1e-3, 1e-2, 1e-1};
  const TuningCurve flat{"a", Loss::logistic(), lambdas, {70, 70, 70, 70}};
  const TuningCurve peak{"b", Loss::logistic(), lambdas, {60, 80, 60, 60}};    // 70 after smoothing
  const TuningCurve better{"c", Loss::logistic(), lambdas, {60, 71, 71, 70}};  // 70.75 at most
  const TuningCurve two[] = {flat, peak};
  EXPECT_EQ(best_choice(two).curve, 0u);
  EXPECT_EQ(best_choice(two).lambda, 3u);
  const TuningCurve three[] = {flat, peak, better};
  EXPECT_EQ(best_choice(three).curve, 2u);
  EXPECT_EQ(best_choice(three).lambda, 2u);
  EXPECT_DOUBLE_EQ(best_choice(three).accuracy, (71 + 2 * 71 + 70) / 4.0);
}

// Fifty rows: one standard deviation of 80 % is 5.7 points.  A hundred times as many: 0.57.
TEST(Tuning, AKnownSettingIsLeftForAClearGainOnly) {
  const std::vector<double> lambdas = {1e-4, 1e-3, 1e-2};
  const TuningCurve known{"a", Loss::logistic(), lambdas, {78, 78, 78}};
  const TuningCurve other{"b", Loss::squared(), lambdas, {80, 80, 80}};
  const TuningCurve curves[] = {known, other};
  EXPECT_NEAR(accuracy_uncertainty(80, 50), 5.657, 1e-3);
  const TuningChoice careful = cautious_choice(curves, 2e-3, 50);
  EXPECT_EQ(careful.curve, 0u);
  EXPECT_EQ(careful.lambda, 1u) << "the nearest lambda of the grid";
  EXPECT_DOUBLE_EQ(careful.accuracy, 78);
  const TuningChoice sure = cautious_choice(curves, 2e-3, 5000);
  EXPECT_EQ(sure.curve, 1u);
  EXPECT_EQ(sure.lambda, 2u);
}

}  // namespace
}  // namespace unscatter
