#include <gtest/gtest.h>

#include "small_experiment.h"

namespace unscatter::experiment {
namespace {

using testing::kSmallParameters;
using testing::small_plan;
using testing::SmallExperiment;

TEST(Batch, OneCertifiedUpdateWhateverTheSize) {
  const SmallExperiment small;
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{1000}}) {
    const BatchTask task{kSmallParameters, {0.2, 0.1, 0.7}, {1.0}, {}, size};
    const Json result =
        run_cell(small_plan("batch", "release", task), *small.cache(), SmallExperiment::context()).value();
    EXPECT_EQ(result.at("removals"), std::min<std::size_t>(size, 40)) << "there are 40 training graphs";
    EXPECT_EQ(result.at("satisfied"), true);
    EXPECT_NE(result.at("rung"), "retrain");
  }
}

}  // namespace
}  // namespace unscatter::experiment
