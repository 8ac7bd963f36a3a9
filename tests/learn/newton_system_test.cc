#include "unscatter/learn/newton_system.h"

#include <gtest/gtest.h>

#include <vector>

#include "linalg/row_products.h"
#include "support/random_rows.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_row;
using testing::random_rows;

// The defect H v - r is what a solve leaves; it is computed from rows alone.
double largest_defect(const Objective& objective, const Matrix& curvatures, const Matrix& steps, const Matrix& right) {
  return objective.newton_defect(curvatures, product(objective.rows(), steps), steps, right)
      .colwise()
      .norm()
      .maxCoeff();
}

TEST(NewtonSystem, SolvesEveryColumnInBothForms) {
  for (const std::size_t threads : {1UL, 2UL}) {
    const LabelledRows data = random_rows(1, {.rows = 25, .columns = 30, .classes = 4, .row_norm = 2});
    const Objective objective(data.rows, data.labels, 4, Loss::logistic(), 0.01, nullptr, threads);
    const Matrix curvatures = objective.curvatures(objective.margins(random_matrix(2, 30, 4)));
    const Matrix right = random_matrix(3, 30, 4);
    for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
      NewtonSystem system(form);
      EXPECT_EQ(system.form(), form);
      const Matrix steps = system.solve(objective, curvatures, right).value();
      EXPECT_LE(largest_defect(objective, curvatures, steps, right), 1e-10);
      // Any number of columns: the last two alone give the same steps.
      EXPECT_EQ(system.solve(objective, curvatures.rightCols(2), right.rightCols(2)).value(), steps.rightCols(2));
    }
  }
}

// A refreshed system equals a fresh one; without the refresh the solve is wrong, so the refresh is what makes it right.
TEST(NewtonSystem, RefreshedRowsEqualAFreshStart) {
  LabelledRows data = random_rows(2, {.rows = 10, .columns = 30, .classes = 2, .row_norm = 2});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.01);
  const Matrix right = random_matrix(3, 30, 2);
  const Matrix curvatures = Matrix::Constant(10, 2, 0.2);
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    SCOPED_TRACE(form == HessianForm::kDual ? "dual" : "primal");
    NewtonSystem system(form);
    ASSERT_TRUE(system.solve(objective, curvatures, right).ok());
    data.rows.set_row(4, random_row(form == HessianForm::kDual ? 50 : 51, 30, 0.5, 3));
    if (form == HessianForm::kDual) {
      const Matrix stale = system.solve(objective, curvatures, right).value();
      EXPECT_GT(largest_defect(objective, curvatures, stale, right), 1e-3);
    }
    system.refresh_row(data.rows, 4);
    const Matrix steps = system.solve(objective, curvatures, right).value();
    EXPECT_LE(largest_defect(objective, curvatures, steps, right), 1e-11);
    data.rows.set_row(4, {});
    system.reset();
    EXPECT_LE(largest_defect(objective, curvatures, system.solve(objective, curvatures, right).value(), right), 1e-11);
  }
}

TEST(NewtonSystem, KeepsTheGramMatrixInDualFormOnly) {
  const LabelledRows data = random_rows(2, {.rows = 10, .columns = 30});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.01);
  NewtonSystem primal(HessianForm::kPrimal);
  EXPECT_EQ(primal.gram(objective).size(), 0);
  NewtonSystem dual(HessianForm::kDual);
  EXPECT_EQ(dual.gram(objective), gram(data.rows));
}

// Kept factors serve nearby systems and give the same steps; a system far away gets a factor of its own.
TEST(NewtonSystem, KeptFactorsAreUsedNearbyOnly) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    LabelledRows data = random_rows(4, {.rows = 40, .columns = 50, .classes = 3, .row_norm = 2});
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.1);
    const Matrix right = random_matrix(5, 50, 3);
    const Matrix curvatures = objective.curvatures(objective.margins(random_matrix(6, 50, 3) / 4));
    NewtonSystem keeping(form);
    keeping.keep_factors();
    ASSERT_TRUE(keeping.solve(objective, curvatures, right).ok());
    EXPECT_EQ(keeping.factorisations(), 3u);

    data.rows.set_row(7, random_row(8, 50, 0.5, 2));
    keeping.refresh_row(data.rows, 7);
    const Matrix near = keeping.solve(objective, 1.01 * curvatures, right).value();
    EXPECT_EQ(keeping.factorisations(), 3u);
    EXPECT_LE(largest_defect(objective, 1.01 * curvatures, near, right), 1e-10);
    // One class alone finds its own factor.
    const std::vector<std::size_t> second = {1};
    EXPECT_LE((keeping.solve(objective, second, 1.01 * curvatures.col(1), right.col(1)).value() - near.col(1)).norm(),
              1e-10);
    EXPECT_EQ(keeping.factorisations(), 3u);

    const Matrix far = keeping.solve(objective, 3 * curvatures, right).value();
    EXPECT_EQ(keeping.factorisations(), 6u);
    EXPECT_LE(largest_defect(objective, 3 * curvatures, far, right), 1e-10);
  }
}

TEST(NewtonSystem, SaysWhenAColumnIsSingular) {
  const LabelledRows data = random_rows(2, {.rows = 10, .columns = 30});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0);
  NewtonSystem system(HessianForm::kPrimal);
  const auto steps = system.solve(objective, Matrix::Ones(10, 2), Matrix::Ones(30, 2));
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::kNotConverged);
}

}  // namespace
}  // namespace unscatter
