#include "learn/row_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_rows.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_row;
using testing::random_rows;

// More rows than columns and fewer, all losses, two and more classes, with noise and without: after an edit of half of
// the rows the descent arrives where training does.
TEST(RowDescent, ArrivesWhereTrainingDoesAfterManyEdits) {
  for (const Loss& loss : testing::all_losses()) {
    for (const std::size_t columns : {8UL, 90UL}) {
      for (const std::size_t classes : {2UL, 5UL}) {
        for (const bool perturbed : {false, true}) {
          SCOPED_TRACE(::testing::Message() << loss.describe() << ", d " << columns << ", K " << classes);
          LabelledRows data = random_rows(columns + classes, {.rows = 60, .columns = columns, .classes = classes});
          const Matrix noise = 0.1 * random_matrix(3, columns, classes);
          const Matrix* b = perturbed ? &noise : nullptr;
          const Matrix start = train(Objective(data.rows, data.labels, classes, loss, 0.6, b)).value().weights;
          for (std::size_t i = 0; i < 60; i += 2) {
            data.rows.set_row(i, i % 3 == 0 ? BlockRow{} : random_row(i, columns, 0.5, 1));
          }
          const Objective after(data.rows, data.labels, classes, loss, 0.5, b);
          const DescentGoal goal{.joint = 1e-6};
          const auto found = descend_by_rows(after, start, after.gradient(start), goal, 1000);
          ASSERT_TRUE(found.has_value());
          EXPECT_LE(after.gradient(found->descent.weights).norm(), 1.01e-6);
          EXPECT_EQ(after.evaluate(found->descent.weights).gradient, found->descent.evaluation.gradient);
          const Matrix optimum = train(after).value().weights;
          EXPECT_LE((found->descent.weights - optimum).norm(), 2e-6 / 0.5);
        }
      }
    }
  }
}

TEST(RowDescent, SaysWhereItDidNotArriveInTime) {
  const LabelledRows data = random_rows(4, {.rows = 60, .columns = 20, .classes = 3});
  const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 1e-4);
  const Matrix start = Matrix::Zero(20, 3);
  EXPECT_FALSE(descend_by_rows(objective, start, objective.gradient(start), {.joint = 1e-9}, 3).has_value());
}

TEST(RowDescent, DoesNotDependOnThreads) {
  const LabelledRows data = random_rows(5, {.rows = 3000, .columns = 40, .classes = 3});
  const Matrix start = Matrix::Zero(40, 3);
  const auto with = [&](std::size_t threads) {
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 1, nullptr, threads);
    return descend_by_rows(objective, start, objective.gradient(start), {.joint = 1e-6}, 1000).value().descent.weights;
  };
  EXPECT_EQ(with(1), with(2));
}

}  // namespace
}  // namespace unscatter
