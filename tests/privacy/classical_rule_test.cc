#include "privacy/classical_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unscatter {
namespace {

TEST(ClassicalBudget, MatchesThePaperFromBelow) {
  EXPECT_NEAR(classical_budget_lower_bound({1, 1e-4}, 0.1).value(), 0.0228, 5e-5);
  for (const double epsilon : {0.01, 0.5, 1.0}) {
    for (const double delta : {1e-12, 1e-4, 0.3}) {
      for (const double alpha : {1e-6, 0.1, 3.0}) {
        const long double exact = static_cast<long double>(alpha) * epsilon / std::sqrt(2 * std::log(1.5L / delta));
        const double budget = classical_budget_lower_bound({epsilon, delta}, alpha).value();
        EXPECT_LE(budget, exact);
        EXPECT_GE(budget, exact * (1 - 1e-13L));
      }
    }
  }
}

// For one weight vector the rule is sound where its theorem says so: the analytic profile allows at least as much.
TEST(ClassicalBudget, IsCoveredByTheProfileForOneClass) {
  for (double epsilon = 0.001; epsilon <= 1; epsilon *= 1.4) {
    for (double delta = 1e-14; delta < 0.5; delta *= 11) {
      const double shift = classical_budget_lower_bound({epsilon, delta}, 1).value();
      EXPECT_LE(shift, largest_shift_lower_bound({epsilon, delta}).value());
    }
  }
}

// The case the rule misses: the sum of the classes' residuals is compared with K budgets, and one class has it all.
TEST(ClassicalBudget, SummedOverTenClassesPromisesTooMuch) {
  constexpr double kAlpha = 0.1;
  const RemovalGuarantee promised{1, 1e-4};
  const double per_class = classical_budget_lower_bound(promised, kAlpha).value();
  const double joint_residual = 10 * per_class;
  const double real_epsilon = smallest_epsilon_upper_bound(joint_residual / kAlpha, promised.delta).value();
  EXPECT_NEAR(real_epsilon, 10.5, 0.05);
  // Even with every class at its own limit the joint shift is sqrt(10) budgets: more than the promise.
  const double even = smallest_epsilon_upper_bound(std::sqrt(10.0) * per_class / kAlpha, promised.delta).value();
  EXPECT_GT(even, 2);
  // At epsilon 1 the gap is real, not an artefact of bounds that err high: delta is far above the promised one.
  EXPECT_GT(delta_upper_bound(joint_residual / kAlpha, promised.epsilon).value(), 1000 * promised.delta);
}

TEST(ClassicalBudget, EdgesAndErrors) {
  EXPECT_EQ(classical_budget_lower_bound({0, 0.1}, 1).value(), 0);
  EXPECT_GT(classical_budget_lower_bound({1, 5e-324}, 1).value(), 0.025);
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(classical_budget_lower_bound({1, 0.1}, bad).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(classical_budget_lower_bound({1, 1}, 1).ok());
  EXPECT_FALSE(classical_budget_lower_bound({-1, 0.1}, 1).ok());
}

}  // namespace
}  // namespace unscatter
