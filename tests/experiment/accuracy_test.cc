#include "experiment/accuracy.h"

#include <gtest/gtest.h>

#include <vector>

namespace unscatter::experiment {
namespace {

// Predictions stand in the order of the chosen graphs, not in that of the data set.
TEST(PercentRight, ComparesWithTheLabelsOfTheChosenGraphs) {
  Dataset dataset;
  dataset.labels = {0, 1, 2, 1, 0};
  const std::vector<std::size_t> graphs = {4, 2, 1, 3};
  const auto percent = [&](const std::vector<std::uint32_t>& predictions) {
    return percent_right(predictions, dataset, graphs);
  };
  EXPECT_EQ(percent({0, 2, 1, 1}), 100);
  EXPECT_EQ(percent({0, 2, 1, 0}), 75);
  EXPECT_EQ(percent({1, 0, 0, 1}), 25);
  EXPECT_EQ(percent({1, 0, 0, 0}), 0);
}

}  // namespace
}  // namespace unscatter::experiment
