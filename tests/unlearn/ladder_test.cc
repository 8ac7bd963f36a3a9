#include "unlearn/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "unlearn/learner_cases.h"

namespace unscatter {
namespace {

using testing::expect_residuals_hold;
using testing::kLearnerRows;
using testing::LabelledRows;
using testing::learner_data;
using testing::learner_of;
using testing::moved_row;

// The same problem and the same update under limits that tighten: the cheapest rung that will do, in the ladder's
// order.
TEST(Ladder, ClimbsRungByRungAsTheLimitTightens) {
  const LabelledRows data = learner_data(1, 10);
  std::vector<Rung> rungs;
  std::vector<double> residuals;
  for (double exponent = 0; exponent <= 11; exponent += 0.5) {
    SessionOptions options;
    options.regularisation = 1e-2;
    options.noise_stddev = 1e3;  // so that the precision decides
    options.precision = std::pow(10.0, -exponent);
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {moved_row(3, 77, 10)};
    const Fit fit = learner.begin(changes, noise).value();
    EXPECT_TRUE(fit.assessment.satisfied);
    EXPECT_EQ(fit.newton_steps == 0, fit.rung < Rung::kNewton);
    EXPECT_EQ(fit.binding, fit.rung == Rung::kFast ? ResidualBound::kDrift : ResidualBound::kExact);
    expect_residuals_hold(learner, data, options, fit, kLearnerRows);
    rungs.push_back(fit.rung);
    residuals.push_back(fit.assessment.residual);
  }
  EXPECT_TRUE(std::is_sorted(rungs.begin(), rungs.end()));
  EXPECT_EQ(std::set<Rung>(rungs.begin(), rungs.end()), (std::set<Rung>{Rung::kFast, Rung::kExact, Rung::kNewton}));
  EXPECT_TRUE(std::is_sorted(residuals.rbegin(), residuals.rend()));
}

TEST(Ladder, TheFastRungNeedsAsManyGraphsAsCoordinates) {
  for (const std::size_t columns : {10UL, kLearnerRows, kLearnerRows + 1}) {
    SessionOptions options;
    options.regularisation = 1e-2;
    options.noise_stddev = 1e3;
    options.precision = 1;
    const LabelledRows data = learner_data(2, columns);
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {moved_row(0, 5, columns)};
    EXPECT_EQ(learner.begin(changes, noise)->rung, columns <= kLearnerRows ? Rung::kFast : Rung::kNewton) << columns;
  }
}

// Over budget the paper trains anew at once; the ladder evaluates the residual first, which is nearly always enough.
TEST(Ladder, OverBudgetTheLadderEvaluatesBeforeItTrainsAnew) {
  const LabelledRows data = learner_data(6, 10);
  SessionOptions options = paper_options(1e-2, 2);
  options.bound = ResidualBound::kWorst;
  options.guarantee.epsilon = 0.01;
  for (const bool at_once : {false, true}) {
    options.retrain_when_exceeded = at_once;
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {moved_row(3, 8, 10)};
    const Fit fit = learner.begin(changes, noise).value();
    EXPECT_EQ(fit.rung, at_once ? Rung::kRetrain : Rung::kNewton);
    EXPECT_EQ(fit.binding, ResidualBound::kExact);
    EXPECT_TRUE(fit.assessment.satisfied);
    expect_residuals_hold(learner, data, options, fit, kLearnerRows);
  }
}

}  // namespace
}  // namespace unscatter
