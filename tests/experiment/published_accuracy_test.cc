#include "experiment/published_accuracy.h"

#include <gtest/gtest.h>

#include "small_experiment.h"
#include "unlearn/tuning.h"

namespace unscatter::experiment {
namespace {

using testing::SmallExperiment;

TEST(PublishedAccuracy, DrawsComeNearTheirExpectation) {
  const SmallExperiment small;
  const auto cache = small.cache();
  const EmbeddedData& data = *cache->embedded("size + kinds + shapes").value();
  const Split split = random_split(data.dataset->size(), {0.4, 0.1, 0.5}, 3).value();
  const SplitRows learned = rows_of_split(data, split.train);
  ASSERT_EQ(learned.rows.rows(), split.train.size());
  EXPECT_EQ(learned.labels[1], data.dataset->labels[split.train[1]]);
  const std::size_t classes = data.dataset->class_names.size();
  const double ridge = 1e-2 * static_cast<double>(split.train.size());
  const Matrix weights =
      weights_at({&learned.rows, learned.labels, classes}, Loss::logistic(), std::span(&ridge, 1), 1).value().front();
  const auto source = SmallExperiment::seeded(1);
  const Json none = look_at_published(data, split.test, weights, {0, classes, 10}, *source, 1).value();
  EXPECT_EQ(none.at("accuracy"), none.at("noisy_accuracy"));
  EXPECT_EQ(none.at("accuracy"), none.at("expected_accuracy"));
  EXPECT_NEAR(none.at("accuracy").get<double>(), accuracy_percent(data, split.test, weights, 1), 1e-9);
  const Json noisy = look_at_published(data, split.test, weights, {0.5, classes, 400}, *source, 1).value();
  EXPECT_EQ(noisy.at("accuracy"), none.at("accuracy"));
  const double spread = noisy.at("noisy_spread").get<double>();
  EXPECT_GT(spread, 0);
  EXPECT_LT(noisy.at("expected_accuracy").get<double>(), none.at("accuracy").get<double>());
  // Five standard deviations of a mean over 400 draws.
  EXPECT_NEAR(noisy.at("noisy_accuracy").get<double>(), noisy.at("expected_accuracy").get<double>(), spread / 4);
}

}  // namespace
}  // namespace unscatter::experiment
