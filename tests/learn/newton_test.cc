// Newton against the closed form, against itself in its other form, and at its limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "learn/train_with_curvature.h"
#include "support/random_rows.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_rows;

TEST(Newton, SquaredLossIsTheClosedFormInOneStep) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t n = 3 + seed * 5, d = 25;
    const LabelledRows data = random_rows(seed, {.rows = n, .columns = d, .classes = 3, .row_norm = 2});
    const Matrix B = random_matrix(seed, d, 3);
    const Objective objective(data.rows, data.labels, 3, Loss::squared(), 0.1, seed % 2 == 0 ? &B : nullptr);
    const Matrix Z = data.rows.to_dense();
    Matrix targets(static_cast<Eigen::Index>(n), 3);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 3; ++k)
        targets(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = objective.sign(i, k);
    }
    Matrix right = Z.transpose() * targets;
    if (seed % 2 == 0) right -= B;
    const Matrix H = Z.transpose() * Z + 0.1 * Matrix::Identity(25, 25);
    const Matrix expected = H.ldlt().solve(right);
    for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
      const TrainedWeights trained = train(objective, TrainOptions{.form = form}).value();
      EXPECT_LE((trained.weights - expected).norm(), 1e-11 * expected.norm());
      for (const std::size_t iterations : trained.iterations) EXPECT_LE(iterations, 2U);  // the second one polishes
    }
  }
}

// The floor of floating point is reached from any start, in a number of steps that says "quadratic".
TEST(Newton, ConvergesInAFewStepsFromAnyStart) {
  const LabelledRows data = random_rows(5, {.rows = 60, .columns = 20, .classes = 3, .row_norm = 2});
  const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.06);
  const Matrix optimum = train(objective).value().weights;
  for (const double scale : {0.0, 1.0, 100.0}) {
    SCOPED_TRACE(scale);
    const TrainedWeights again = train(objective, optimum + scale * random_matrix(1, 20, 3)).value();
    EXPECT_LE((again.weights - optimum).norm(), 1e-9 * optimum.norm());
    for (const std::size_t iterations : again.iterations) EXPECT_LE(iterations, scale == 0 ? 0U : 40U);
  }
}

TEST(Newton, DoesNotDependOnTheNumberOfThreads) {
  const LabelledRows data = random_rows(7, {.rows = 300, .columns = 15, .classes = 3});
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    const Objective one(data.rows, data.labels, 3, Loss::logistic(), 0.3, nullptr, 1);
    const Objective two(data.rows, data.labels, 3, Loss::logistic(), 0.3, nullptr, 2);
    EXPECT_EQ(train(one, TrainOptions{.form = form}).value().weights, train(two, {.form = form}).value().weights);
  }
}

// Each class is a problem of its own: training them side by side changes none.  Exact steps do not even see the others;
// with kept inverses, which all classes renew together, they meet at the same point.
TEST(Newton, ClassesDoNotSeeEachOther) {
  constexpr double kRidge = 0.05;
  const LabelledRows data = random_rows(8, {.rows = 50, .columns = 70, .classes = 5, .row_norm = 2});
  const Objective all(data.rows, data.labels, 5, Loss::logistic(), kRidge);
  const double tolerance = default_gradient_tolerance(data.rows);
  const auto exact = [tolerance](const Objective& objective) {
    Curvature curvature(HessianForm::kDual);
    const Matrix start = Matrix::Zero(70, static_cast<Eigen::Index>(objective.classes()));
    return newton_descent(objective, start, tolerance, 100, curvature).value().weights;
  };
  const Matrix weights = train(all).value().weights;
  const Matrix by_exact_steps = exact(all);
  for (std::uint32_t k = 0; k < 5; ++k) {
    std::vector<std::uint32_t> one_vs_rest;
    for (const std::uint32_t y : data.labels) one_vs_rest.push_back(y == k ? 0 : 1);
    const Objective pair(data.rows, one_vs_rest, 2, Loss::logistic(), kRidge);
    const Matrix two = train(pair).value().weights;
    EXPECT_EQ(exact(pair).col(0), by_exact_steps.col(k));
    EXPECT_LE((two.col(0) - weights.col(k)).norm(), 2 * tolerance / kRidge);
    EXPECT_EQ(two.col(0), -two.col(1));  // the two sides of one hyperplane
  }
}

// Where there are more rows than columns, training steps with inverses made before: it must end where exact steps end,
// from any start, mirrored or not, and leave inverses that the next training can use.
TEST(Newton, InexactStepsEndWhereExactOnesDo) {
  for (const std::size_t K : {2U, 4U}) {
    for (const double ridge : {1e-3, 1.0}) {
      for (const bool perturbed : {false, true}) {
        SCOPED_TRACE(::testing::Message() << K << " classes, ridge " << ridge << (perturbed ? ", perturbed" : ""));
        const LabelledRows data = random_rows(K, {.rows = 300, .columns = 20, .classes = K, .row_norm = 2});
        const Matrix B = random_matrix(3, 20, K);
        const Objective objective(data.rows, data.labels, K, Loss::logistic(), ridge, perturbed ? &B : nullptr);
        const double tolerance = default_gradient_tolerance(data.rows);
        Curvature exactly(HessianForm::kPrimal);
        const Matrix zero = Matrix::Zero(20, static_cast<Eigen::Index>(K));
        const Matrix exact = newton_descent(objective, zero, tolerance, 100, exactly).value().weights;
        Curvature curvature(HessianForm::kPrimal);
        for (const double away : {0.0, 1.0, 30.0}) {
          const Matrix start = away == 0 ? zero : Matrix(exact + away * random_matrix(4, 20, K));
          const TrainedWeights trained = train_with_curvature(objective, start, {}, curvature).value();
          EXPECT_LE(trained.gradient_norms.maxCoeff(), tolerance);
          EXPECT_LE(objective.gradient(trained.weights).colwise().norm().maxCoeff(), 1.01 * tolerance);
          EXPECT_LE((trained.weights - exact).norm(), 2 * tolerance * std::sqrt(K) / ridge);
          EXPECT_TRUE(curvature.has_inverses());
        }
        // From the optimum there is nothing to do.
        const TrainedWeights again = train_with_curvature(objective, exact, {}, curvature).value();
        EXPECT_EQ(*std::max_element(again.iterations.begin(), again.iterations.end()), 0U);
      }
    }
  }
}

// At weights of zero all classes have one Hessian: the first inverse is made once, and few are made after it.
TEST(Newton, TrainingMakesFewInverses) {
  const LabelledRows data = random_rows(11, {.rows = 400, .columns = 15, .classes = 6, .row_norm = 2});
  const Objective objective(data.rows, data.labels, 6, Loss::logistic(), 0.4);
  Curvature curvature(HessianForm::kPrimal);
  const TrainedWeights trained = train_with_curvature(objective, Matrix::Zero(15, 6), {}, curvature).value();
  EXPECT_LE(trained.gradient_norms.maxCoeff(), default_gradient_tolerance(data.rows));
  EXPECT_LE(curvature.builds(), 3U);
}

}  // namespace
}  // namespace unscatter
