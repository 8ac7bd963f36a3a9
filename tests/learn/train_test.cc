// What train() promises of both optimisers: a result at the tolerance, or an error.
#include "unscatter/learn/train.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learn/train_with_curvature.h"
#include "support/random_rows.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_rows;

constexpr Optimizer kBoth[] = {Optimizer::kNewton, Optimizer::kLbfgs};

BlockRow dense_row(const std::vector<double>& values) {
  BlockRow row;
  std::copy(values.begin(), values.end(), row.append(0, values.size()));
  return row;
}

void expect_error(const Result<TrainedWeights>& result, ErrorCode code) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, code) << result.error().message;
  EXPECT_FALSE(result.error().message.empty());
}

void expect_optimum(const Objective& objective, const Result<TrainedWeights>& result) {
  ASSERT_TRUE(result.ok()) << result.error().message;
  const double tolerance = default_gradient_tolerance(objective.rows());
  EXPECT_LE(objective.gradient(result->weights).colwise().norm().maxCoeff(), tolerance);
  EXPECT_EQ(result->iterations.size(), objective.classes());
}

TEST(Train, NotConvergingIsAnError) {
  const LabelledRows data = random_rows(1, {.rows = 40, .columns = 10, .classes = 2, .row_norm = 3});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.01);
  for (const Optimizer optimizer : kBoth) {
    expect_error(train(objective, TrainOptions{.optimizer = optimizer, .max_iterations = 1}), ErrorCode::kNotConverged);
    // Below what floating point can reach: no loop without end, and no claim.
    expect_error(train(objective, TrainOptions{.optimizer = optimizer, .gradient_tolerance = 1e-30}),
                 ErrorCode::kNotConverged);
    expect_optimum(objective,
                   train(objective, TrainOptions{.optimizer = optimizer,
                                                 .max_iterations = std::numeric_limits<std::size_t>::max()}));
  }
}

// Without a ridge the loss of separable data has no minimum; its gradient falls below any tolerance on the way to
// infinity.
TEST(Train, SeparableDataWithoutARidgeIsAnError) {
  SparseBlockRows rows(0, 2);
  std::vector<std::uint32_t> labels;
  for (int i = 0; i < 20; ++i) {
    const double side = i % 2 == 0 ? 1 : -1;
    rows.append_row(dense_row({side * (1 + i / 10.0), std::sin(i)}));
    labels.push_back(i % 2 == 0 ? 0 : 1);
  }
  const Objective objective(rows, labels, 2, Loss::logistic(), 0);
  for (const Optimizer optimizer : kBoth) {
    expect_error(train(objective, TrainOptions{.optimizer = optimizer}), ErrorCode::kNotConverged);
    expect_error(train(objective, TrainOptions{.optimizer = optimizer, .gradient_tolerance = 1e-3}),
                 ErrorCode::kNotConverged);
  }
}

// The same in one column only, which one class alone touches; the others are well posed.
TEST(Train, PartlySeparableDataWithoutARidgeIsAnError) {
  LabelledRows data = random_rows(2, {.rows = 80, .columns = 3, .classes = 2, .density = 1});
  SparseBlockRows rows(0, 4);
  for (std::size_t i = 0; i < 80; ++i) {
    BlockRow row = data.rows.row(i);
    if (data.labels[i] == 1 && i % 3 == 0) *row.append(3, 1) = 1;
    rows.append_row(row);
  }
  const Objective objective(rows, data.labels, 2, Loss::logistic(), 0);
  const Objective well_posed(data.rows, data.labels, 2, Loss::logistic(), 0);
  for (const Optimizer optimizer : kBoth) {
    expect_error(train(objective, TrainOptions{.optimizer = optimizer}), ErrorCode::kNotConverged);
    expect_optimum(well_posed, train(well_posed, TrainOptions{.optimizer = optimizer}));
  }
}

// More columns than rows separate any labels.
TEST(Train, FewRowsWithoutARidgeAreAnError) {
  const LabelledRows data = random_rows(2, {.rows = 10, .columns = 30, .classes = 2});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0);
  for (const Optimizer optimizer : kBoth)
    expect_error(train(objective, {.optimizer = optimizer}), ErrorCode::kNotConverged);
}

// A column that no row touches and one that repeats another leave the weights open, but not the scores.
TEST(Train, DependentColumnsWithoutARidgeStillTrain) {
  const LabelledRows data = random_rows(3, {.rows = 80, .columns = 4, .classes = 2, .density = 1});
  SparseBlockRows rows(0, 6);
  for (std::size_t i = 0; i < 80; ++i) {
    BlockRow row = data.rows.row(i);
    const double last = row.values.back();
    *row.append(5, 1) = last;
    rows.append_row(row);
  }
  for (const Loss& loss : {Loss::logistic(), Loss::squared()}) {
    SCOPED_TRACE(loss.describe());
    const Objective well_posed(data.rows, data.labels, 2, loss, 0);
    const Matrix scores = data.rows.to_dense() * train(well_posed).value().weights;
    const Objective dependent(rows, data.labels, 2, loss, 0);
    for (const Optimizer optimizer : kBoth) {
      const auto trained = train(dependent, {.optimizer = optimizer});
      expect_optimum(dependent, trained);
      EXPECT_LE((rows.to_dense() * trained->weights - scores).norm(), 1e-8);
    }
  }
}

TEST(Train, AClassWithoutAGraphScoresLowEverywhere) {
  const LabelledRows data = random_rows(3, {.rows = 40, .columns = 6, .classes = 2});
  const SparseBlockRows rows = with_bias(data.rows);
  const Objective objective(rows, data.labels, 3, Loss::logistic(), 0.1);  // nothing has label 2
  for (const Optimizer optimizer : kBoth) {
    const auto trained = train(objective, TrainOptions{.optimizer = optimizer});
    expect_optimum(objective, trained);
    EXPECT_LE((rows.to_dense() * trained->weights.col(2)).maxCoeff(), 0);
    for (const std::uint32_t k : predict(rows, trained->weights)) EXPECT_NE(k, 2U);
  }
}

TEST(Train, SmallestProblemsHaveTheirOptimum) {
  for (const Optimizer optimizer : kBoth) {
    const LabelledRows one_class = random_rows(4, {.rows = 10, .columns = 6, .classes = 1});
    const Objective single(one_class.rows, one_class.labels, 1, Loss::logistic(), 0.1);
    expect_optimum(single, train(single, TrainOptions{.optimizer = optimizer}));

    const LabelledRows one_row = random_rows(5, {.rows = 1, .columns = 6, .classes = 1});
    const Objective alone(one_row.rows, one_row.labels, 1, Loss::logistic(), 0.1);
    const auto trained = train(alone, TrainOptions{.optimizer = optimizer});
    expect_optimum(alone, trained);
    // w = a z with ridge a = sigmoid(-a |z|^2)
    const Vector z = one_row.rows.to_dense().row(0).transpose();
    const double a = trained->weights.col(0).dot(z) / z.squaredNorm();
    EXPECT_LE((trained->weights.col(0) - a * z).norm(), 1e-10);
    EXPECT_NEAR(0.1 * a, 1 / (1 + std::exp(a * z.squaredNorm())), 1e-12);
  }
}

// Twice the same rows and twice the ridge: the same minimum.
TEST(Train, DuplicateRowsAreFittedOncePerCopy) {
  const LabelledRows data = random_rows(6, {.rows = 20, .columns = 30, .classes = 2});
  LabelledRows twice = data;
  for (std::size_t i = 0; i < 20; ++i) {
    twice.rows.append_row(data.rows.row(i));
    twice.labels.push_back(data.labels[i]);
  }
  const Objective once(data.rows, data.labels, 2, Loss::logistic(), 0.1);
  const Objective doubled(twice.rows, twice.labels, 2, Loss::logistic(), 0.2);
  for (const Optimizer optimizer : kBoth) {
    const auto a = train(once, TrainOptions{.optimizer = optimizer});
    const auto b = train(doubled, TrainOptions{.optimizer = optimizer});
    expect_optimum(once, a);
    expect_optimum(doubled, b);
    EXPECT_LE((a->weights - b->weights).norm(), 1e-9);
  }
}

TEST(Train, RefusesArgumentsOutOfRange) {
  const LabelledRows data = random_rows(7, {.rows = 5, .columns = 4, .classes = 2});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Optimizer optimizer : kBoth) {
    const TrainOptions options{.optimizer = optimizer};
    expect_error(train(objective, Matrix::Zero(4, 3), options), ErrorCode::kInvalidArgument);
    expect_error(train(objective, Matrix::Zero(5, 2), options), ErrorCode::kInvalidArgument);
    expect_error(train(objective, Matrix::Constant(4, 2, nan), options), ErrorCode::kInvalidArgument);
    expect_error(train(objective, TrainOptions{.optimizer = optimizer, .gradient_tolerance = 0.0}),
                 ErrorCode::kInvalidArgument);
    expect_error(train(objective, TrainOptions{.optimizer = optimizer, .gradient_tolerance = nan}),
                 ErrorCode::kInvalidArgument);

    const SparseBlockRows empty(5, 4);
    expect_error(train(Objective(empty, data.labels, 2, Loss::logistic(), 0.1), options), ErrorCode::kInvalidArgument);
    SparseBlockRows zeros(0, 4);
    for (int i = 0; i < 5; ++i) zeros.append_row(dense_row({0, 0, 0, 0}));
    expect_error(train(Objective(zeros, data.labels, 2, Loss::logistic(), 0.1), options), ErrorCode::kInvalidArgument);
    for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
      SparseBlockRows rows = data.rows;
      rows.set_row(3, dense_row({1, bad, 0, 0}));
      expect_error(train(Objective(rows, data.labels, 2, Loss::logistic(), 0.1), options), ErrorCode::kInvalidArgument);
      const Matrix B = Matrix::Constant(4, 2, bad);
      expect_error(train(Objective(data.rows, data.labels, 2, Loss::logistic(), 0.1, &B), options),
                   ErrorCode::kInvalidArgument);
    }
  }
}

TEST(Train, TheMinimumOfZeroRowsIsKnown) {
  SparseBlockRows zeros(2, 4);
  zeros.set_row(1, dense_row({0, 0, 0, 0}));
  const std::vector<std::uint32_t> labels = {0, 1};
  const Matrix B = Matrix::Random(4, 3);
  for (const Loss& loss : {Loss::logistic(), Loss::squared()}) {
    const Objective objective(zeros, labels, 3, loss, 0.3, &B);
    const Matrix minimum = minimum_of_zero_rows(objective).value();
    EXPECT_LE(objective.evaluate(minimum).gradient.norm(), 1e-15);
    EXPECT_EQ(minimum_of_zero_rows(Objective(zeros, labels, 3, loss, 0.3)).value().norm(), 0);
    EXPECT_FALSE(minimum_of_zero_rows(Objective(zeros, labels, 3, loss, 0)).has_value());
  }
  for (const double value : {1e-100, std::numeric_limits<double>::quiet_NaN()}) {
    zeros.set_row(0, dense_row({0, value, 0, 0}));
    EXPECT_FALSE(minimum_of_zero_rows(Objective(zeros, labels, 3, Loss::logistic(), 0.3)).has_value());
  }
}

TEST(Train, DefaultToleranceScalesWithTheRows) {
  const LabelledRows data = random_rows(8, {.rows = 50, .columns = 10, .row_norm = 4});
  const double sum = data.rows.to_dense().rowwise().norm().sum();
  EXPECT_NEAR(default_gradient_tolerance(data.rows), 1e-12 * sum, 1e-25);
}

TEST(Train, OptimizersHaveNames) {
  EXPECT_EQ(parse_optimizer("newton").value(), Optimizer::kNewton);
  EXPECT_EQ(parse_optimizer("lbfgs").value(), Optimizer::kLbfgs);
  for (const Optimizer optimizer : kBoth) EXPECT_EQ(parse_optimizer(name(optimizer)).value(), optimizer);
  for (const char* text : {"", "Newton", "sgd", "lbfgs "}) EXPECT_FALSE(parse_optimizer(text).ok()) << text;
}

}  // namespace
}  // namespace unscatter
