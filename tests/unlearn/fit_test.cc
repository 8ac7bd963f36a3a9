#include "unlearn/fit.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"
#include "support/wide_gradient.h"

namespace unscatter {
namespace {

// What an evaluation proves: never below the gradient in extended precision, and close above it.
TEST(Fit, EvaluatedResidualsCoverTheTrueGradient) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const testing::LabelledRows data = testing::random_rows(seed, {.rows = 40, .columns = 15, .classes = 3});
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.2);
    const Matrix W = testing::random_matrix(seed, 15, 3);
    const Vector residuals = evaluated_residuals(objective, objective.evaluate(W));
    const testing::WideMatrix gradient = testing::wide_gradient(data.rows, data.labels, Loss::logistic(), 0.2, W);
    for (Eigen::Index k = 0; k < 3; ++k) {
      EXPECT_GE(residuals(k), gradient.col(k).norm()) << seed;
      EXPECT_LE(residuals(k), gradient.col(k).norm() * (1 + 1e-9)) << seed;
    }
  }
}

// Weights that are no optimum are found not to satisfy the guarantee, whatever was claimed about them before.
TEST(Fit, AnAcceptedEvaluationReplacesWhatWasClaimed) {
  const testing::LabelledRows data = testing::random_rows(1, {.rows = 40, .columns = 15, .classes = 3});
  const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.2);
  const Limit limit = Limit::create({}, 45, 3).value();
  Fit fit;
  fit.weights = testing::random_matrix(1, 15, 3);
  fit.residuals = Vector::Zero(3);
  fit.binding = ResidualBound::kDrift;
  fit.assessment = assess(fit, objective, limit);
  EXPECT_TRUE(fit.assessment.satisfied);
  accept_evaluation(objective.evaluate(fit.weights), objective, limit, fit);
  EXPECT_FALSE(fit.assessment.satisfied);
  EXPECT_EQ(fit.binding, ResidualBound::kExact);
  EXPECT_EQ(fit.bounds.exact, joint_norm(fit.residuals));
}

}  // namespace
}  // namespace unscatter
