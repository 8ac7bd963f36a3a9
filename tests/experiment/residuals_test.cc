#include <gtest/gtest.h>

#include "small_experiment.h"

namespace unscatter::experiment {
namespace {

using testing::kSmallParameters;
using testing::small_plan;
using testing::SmallExperiment;

// The chain of inequalities behind [Pan23, Figure 6], at every removal and in both readings.
TEST(Residuals, BoundsAreInTheirOrder) {
  const SmallExperiment small;
  const ResidualTask task{kSmallParameters, {0.2, 0.1, 0.7}, {0.9, 15}};
  const Json result =
      run_cell(small_plan("residuals", "one-step", task), *small.cache(), SmallExperiment::context()).value();
  ASSERT_EQ(result.at("removals"), 15);
  for (const char* reading : {"step", "cumulated"}) {
    for (std::size_t i = 0; i < 15; ++i) {
      SCOPED_TRACE(i);
      const auto at = [&](const char* bound) { return result.at(reading).at(bound)[i].get<double>(); };
      EXPECT_LE(result.at("residual")[i].get<double>(), at("tight"));
      EXPECT_LE(at("tight"), at("data"));
      EXPECT_LE(at("data"), at("worst"));
    }
  }
  EXPECT_GT(result.at("residual").back(), 1e-12) << "one Newton step leaves something";
}

TEST(Residuals, ChargesOnlyGrow) {
  const SmallExperiment small;
  const ResidualTask task{kSmallParameters, {0.2, 0.1, 0.7}, {0.9, 10}};
  const Json result =
      run_cell(small_plan("residuals", "one-step", task), *small.cache(), SmallExperiment::context()).value();
  for (const char* bound : {"tight", "data", "worst"}) {
    const Json& charged = result.at("cumulated").at(bound);
    for (std::size_t i = 1; i < charged.size(); ++i) EXPECT_GT(charged[i], charged[i - 1]) << bound;
    EXPECT_GT(charged.back(), result.at("step").at(bound).back());
  }
}

}  // namespace
}  // namespace unscatter::experiment
