#include "unscatter/unlearn/tune.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unlearn/tuning.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

Dataset public_groups(std::size_t groups = 90) {
  return generate_interest_groups(
             {.groups = groups, .users = 200, .min_size = 10, .max_size = 20, .noise = 0, .seed = 5})
      .value();
}

TuneOptions quick_tuning() {
  TuneOptions options;
  options.recipes = {"size + shapes > scale:0.1", "size"};
  options.lambdas = {1e-4, 1e-6, 1e-5};
  options.folds = 3;
  options.threads = 1;
  return options;
}

// Every line once more, through the functions that it is made of.
TEST(Tune, LinesAreTheBestOfTheirCurves) {
  const Dataset open = public_groups();
  const TuneOptions options = quick_tuning();
  const TuneReport report = tune_on_public(open, options).value();
  ASSERT_EQ(report.lines.size(), 2u) << "two recipes with the squared loss";
  EXPECT_EQ(report.lines[0].loss, Loss::squared());
  EXPECT_EQ(report.held_out, open.size());
  EXPECT_EQ(report.folds, 3u);
  const auto folds = cross_folds(open.size(), 3, options.seed).value();
  PublishedNoise noise;
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const TuneLine& line = report.lines[i];
    TransformSpec spec;
    spec.family = "blocks";
    spec.recipe = line.recipe;
    const SparseBlockRows rows = make_embedder("none", spec, open).value()->embed(open).value();
    EXPECT_EQ(line.coordinates, rows.columns());
    EXPECT_EQ(line.noise_stddev, SessionOptions{}.noise_stddev);
    const auto curves = measure_curves({&rows, open.labels, open.class_names.size()}, folds, line.loss,
                                       {1e-6, 1e-5, 1e-4}, std::span(&noise, 1), 1)
                            .value();
    const std::vector<double> values = smoothed(curves[0].accuracies);
    if (i == report.chosen) continue;
    EXPECT_NEAR(line.accuracy, *std::max_element(values.begin(), values.end()), 1e-9) << line.recipe;
  }
}

TEST(Tune, TheFirstRecipeIsLeftForAClearGainOnly) {
  TuneOptions options = quick_tuning();
  // The size tells little about these groups.
  options.recipes = {"size > scale:0.01", "size + shapes + kinds > scale:0.1"};
  const TuneReport gain = tune_on_public(public_groups(), options).value();
  EXPECT_EQ(gain.lines[gain.chosen].recipe, "size + shapes + kinds > scale:0.1");
  options.recipes = {"size + shapes + kinds > scale:0.1", "size + shapes + kinds*2 > scale:0.1"};
  const TuneReport same = tune_on_public(public_groups(), options).value();
  EXPECT_EQ(same.chosen, 0u);
  EXPECT_EQ(same.lines[0].lambda, 1e-4) << "a text has this lambda by itself";
}

TEST(Tune, TheLargestNoiseThatCostsLittleIsChosen) {
  TuneOptions options = quick_tuning();
  options.recipes.resize(1);
  options.losses = {Loss::logistic()};
  options.noises = {1e-3, 1e-2, 1e6};
  const TuneReport report = tune_on_public(public_groups(), options).value();
  ASSERT_EQ(report.lines.size(), 3u);
  EXPECT_EQ(report.lines[report.chosen].noise_stddev, 1e-2);
}

TEST(Tune, LevelEveryoneHasRowsOfNormOneAndItsOwnNoise) {
  TuneOptions options = quick_tuning();
  options.lambdas.clear();
  options.session.protection = Protection::kEveryone;
  options.session.per_subject = 1;
  options.session.releases = 1;
  options.graphs = 100000;
  const TuneReport many = tune_on_public(public_groups(), options).value();
  ASSERT_EQ(many.lines.size(), 2u) << "the squared loss has no bounded slope";
  EXPECT_EQ(many.lines[0].recipe, "size + shapes");
  options.graphs = 0;
  const TuneReport few = tune_on_public(public_groups(), options).value();
  EXPECT_EQ(few.graphs, 90u);
  EXPECT_GT(many.lines[many.chosen].accuracy, few.lines[few.chosen].accuracy) << "many graphs need less noise";
  options.losses = {Loss::squared()};
  EXPECT_EQ(tune_on_public(public_groups(), options).error().code, ErrorCode::kInvalidArgument);
}

TEST(Tune, WhatCannotBeTunedIsRefused) {
  Dataset open = public_groups(6);
  TuneOptions options = quick_tuning();
  options.folds = 7;
  EXPECT_EQ(tune_on_public(open, options).error().code, ErrorCode::kInvalidArgument);
  options = quick_tuning();
  options.recipes = {"shape"};
  EXPECT_EQ(tune_on_public(open, options).error().code, ErrorCode::kInvalidArgument);
  options = quick_tuning();
  for (std::uint32_t& label : open.labels) label = 0;
  open.class_names.resize(1);
  EXPECT_EQ(tune_on_public(open, options).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
