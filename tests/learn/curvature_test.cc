#include "learn/curvature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "linalg/row_products.h"
#include "support/exact_spectrum.h"
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

TEST(Curvature, SolvesEveryColumnInBothForms) {
  for (const std::size_t threads : {1UL, 2UL}) {
    const LabelledRows data = random_rows(1, {.rows = 25, .columns = 30, .classes = 4, .row_norm = 2});
    const Objective objective(data.rows, data.labels, 4, Loss::logistic(), 0.01, nullptr, threads);
    const Matrix curvatures = objective.curvatures(objective.margins(random_matrix(2, 30, 4)));
    const Matrix right = random_matrix(3, 30, 4);
    for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
      Curvature system(form);
      EXPECT_EQ(system.form(), form);
      const Matrix steps = system.solve(objective, curvatures, right).value();
      EXPECT_LE(largest_defect(objective, curvatures, steps, right), 1e-10);
      // Any number of columns: the last two alone give the same steps.
      EXPECT_EQ(system.solve(objective, curvatures.rightCols(2), right.rightCols(2)).value(), steps.rightCols(2));
    }
  }
}

// A refreshed system equals a fresh one; without the refresh the solve is wrong, so the refresh is what makes it right.
TEST(Curvature, RefreshedRowsEqualAFreshStart) {
  LabelledRows data = random_rows(2, {.rows = 10, .columns = 30, .classes = 2, .row_norm = 2});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.01);
  const Matrix right = random_matrix(3, 30, 2);
  const Matrix curvatures = Matrix::Constant(10, 2, 0.2);
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    SCOPED_TRACE(form == HessianForm::kDual ? "dual" : "primal");
    Curvature system(form);
    ASSERT_TRUE(system.solve(objective, curvatures, right).ok());
    const BlockRow before = data.rows.row(4);
    data.rows.set_row(4, random_row(form == HessianForm::kDual ? 50 : 51, 30, 0.5, 3));
    if (form == HessianForm::kDual) {
      const Matrix stale = system.solve(objective, curvatures, right).value();
      EXPECT_GT(largest_defect(objective, curvatures, stale, right), 1e-3);
    }
    system.replace_row(4, before);
    const Matrix steps = system.solve(objective, curvatures, right).value();
    EXPECT_LE(largest_defect(objective, curvatures, steps, right), 1e-11);
    data.rows.set_row(4, {});
    system.wipe();
    EXPECT_LE(largest_defect(objective, curvatures, system.solve(objective, curvatures, right).value(), right), 1e-11);
  }
}

// |Z| from above in both forms, while rows change.
TEST(Curvature, BoundsTheSpectralNormOfThePresentRows) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    LabelledRows data = random_rows(2, {.rows = 25, .columns = 20});
    const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.01);
    Curvature curvature(form);
    for (std::size_t step = 0; step < 20; ++step) {
      const auto norm = static_cast<double>(testing::largest_singular_value(data.rows.to_dense()));
      EXPECT_GE(curvature.spectral_norm_upper_bound(objective), norm * (1 - 1e-14)) << step;
      EXPECT_LE(curvature.spectral_norm_upper_bound(objective), 1.01 * norm) << step;
      const BlockRow before = data.rows.row(step);
      data.rows.set_row(step, random_row(step, 20, 0.5, step % 7 == 3 ? 100 : 1));
      curvature.replace_row(step, before);
    }
  }
}

// Kept factors serve nearby systems and give the same steps; a system far away gets a factor of its own.
TEST(Curvature, KeptFactorsAreUsedNearbyOnly) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    LabelledRows data = random_rows(4, {.rows = 40, .columns = 50, .classes = 3, .row_norm = 2});
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.1);
    const Matrix right = random_matrix(5, 50, 3);
    const Matrix curvatures = objective.curvatures(objective.margins(random_matrix(6, 50, 3) / 4));
    Curvature keeping(form, {.keep_factors = true});
    ASSERT_TRUE(keeping.solve(objective, curvatures, right).ok());
    EXPECT_EQ(keeping.factorisations(), 3u);

    const BlockRow before = data.rows.row(7);
    data.rows.set_row(7, random_row(8, 50, 0.5, 2));
    keeping.replace_row(7, before);
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

TEST(Curvature, SaysWhenAColumnIsSingular) {
  const LabelledRows data = random_rows(2, {.rows = 10, .columns = 30});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0);
  Curvature system(HessianForm::kPrimal);
  const auto steps = system.solve(objective, Matrix::Ones(10, 2), Matrix::Ones(30, 2));
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::kNotConverged);
}

// What may be kept follows from one limit: a quarter of it for inverses and for factors, a half for the fast factor.
TEST(Curvature, OneMemoryLimitRulesEverythingThatIsKept) {
  const LabelledRows data = random_rows(5, {.rows = 60, .columns = 10, .classes = 3});
  const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.1);
  const Matrix W = Matrix::Zero(10, 3);
  const Matrix curvatures = objective.curvatures(objective.margins(W));
  constexpr std::size_t kInverses = std::size_t{3} * 10 * 10 * sizeof(double);
  constexpr std::size_t kFast = std::size_t{7} * 10 * 10 * sizeof(double);
  for (const std::size_t limit : {4 * kInverses - 1, 4 * kInverses, 2 * kFast - 1, 2 * kFast}) {
    SCOPED_TRACE(limit);
    Curvature curvature(HessianForm::kPrimal, {.keep_factors = true, .memory_limit = limit});
    EXPECT_EQ(curvature.build_inverses(objective, curvatures), limit >= 4 * kInverses);
    curvature.anchor(objective, W);
    EXPECT_EQ(curvature.has_fast(), limit >= 2 * kFast);
    // Without a factor that was kept, the same system is factorised again.
    ASSERT_TRUE(curvature.solve(objective, curvatures, Matrix::Ones(10, 3)).ok());
    ASSERT_TRUE(curvature.solve(objective, curvatures, Matrix::Ones(10, 3)).ok());
    EXPECT_EQ(curvature.factorisations(), limit >= 4 * kInverses ? 3U : 6U);
  }
}

// Rows that were tried and put back leave what is kept as it was, bit for bit.
TEST(Curvature, AChangeThatIsTakenBackLeavesNoTrace) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    LabelledRows data = random_rows(6, {.rows = 40, .columns = 30, .classes = 3});
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.5);
    const Matrix W = 0.1 * random_matrix(1, 30, 3);
    Curvature curvature(form);
    ASSERT_TRUE(curvature.build_inverses(objective, objective.curvatures(objective.margins(W))));
    curvature.anchor(objective, W);
    const Matrix right = random_matrix(2, 30, 3);
    const std::vector<std::size_t> all = {0, 1, 2};
    const Matrix step = curvature.fast(objective)->solve(right, all);

    BlockRow row = random_row(9, 30);
    data.rows.swap_row(3, row);  // `row` is now the old one
    curvature.replace_row(3, row);
    data.rows.swap_row(3, row);
    curvature.replace_row(3, row);
    EXPECT_EQ(curvature.fast(objective)->solve(right, all), step);
    EXPECT_TRUE(curvature.refresh_inverses(objective, W));
    EXPECT_EQ(curvature.builds(), 1U);
  }
}

// A row that changed and came into force without being folded in takes the inverses with it; one that was folded in
// does not.
TEST(Curvature, InversesThatHaveNotFollowedAreDropped) {
  for (const bool folded : {false, true}) {
    LabelledRows data = random_rows(7, {.rows = 40, .columns = 30, .classes = 3});
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.5);
    const Matrix W = 0.1 * random_matrix(1, 30, 3);
    Curvature curvature(HessianForm::kPrimal);
    ASSERT_TRUE(curvature.build_inverses(objective, objective.curvatures(objective.margins(W))));
    BlockRow row = random_row(9, 30);
    data.rows.swap_row(3, row);
    curvature.replace_row(3, row);
    if (folded) {
      ASSERT_TRUE(curvature.refresh_inverses(objective, W));
    }
    curvature.commit_rows(objective);
    EXPECT_EQ(curvature.has_inverses(), folded);
    EXPECT_EQ(curvature.builds(), 1U);
  }
}

// After an anchor the first evaluation is a plain one.  Later ones start from the anchor where that tells enough, and
// are as near to the plain one as both say.
TEST(Curvature, EvaluatesFromTheAnchorWhereThatTellsEnough) {
  for (const double limit : {1e-3, 1e-13}) {
    LabelledRows data = random_rows(8, {.rows = 60, .columns = 12, .classes = 3, .density = 1.0});
    const Objective objective(data.rows, data.labels, 3, Loss::logistic(), 0.5);
    Matrix W = 0.1 * random_matrix(1, 12, 3);
    const std::vector<std::size_t> all = {0, 1, 2};
    Curvature curvature(HessianForm::kPrimal);
    curvature.anchor(objective, W);
    for (std::size_t i = 0; i < 8; ++i) {
      SCOPED_TRACE(::testing::Message() << limit << ", edit " << i);
      BlockRow row = random_row(20 + i, 12, 1.0);
      data.rows.swap_row(i, row);
      curvature.replace_row(i, row);
      FastFactor::Step step;
      ASSERT_NE(curvature.fast(objective, 1e-2 * random_matrix(40 + i, 12, 3), W, step), nullptr);
      W += step.columns;
      const Evaluation plain = objective.evaluate(W);
      const Evaluation found = curvature.evaluate_fast_step(objective, W, step, all, limit);
      const bool from_anchor = i > 0 && limit == 1e-3;
      EXPECT_EQ(found.gradient != plain.gradient, from_anchor);
      for (Eigen::Index k = 0; k < 3; ++k) {
        EXPECT_LE((found.gradient.col(k) - plain.gradient.col(k)).norm(), found.rounding(k) + plain.rounding(k));
      }
      EXPECT_LE(found.rounding.norm(), std::max(0.1 * limit, plain.rounding.norm()));
      curvature.commit_rows(objective);
    }
  }
}

// The bound of a step counts the largest ridge since the anchor, and that of the step itself is one of them.
TEST(Curvature, TheRidgeOfAStepIsNoted) {
  LabelledRows data = random_rows(6, {.rows = 40, .columns = 8, .classes = 3});
  const Matrix W = random_matrix(7, 8, 3);
  const auto objective = [&](double ridge) { return Objective(data.rows, data.labels, 3, Loss::logistic(), ridge); };
  for (const std::size_t edits : {1U, 2U}) {
    Curvature curvature(HessianForm::kPrimal);
    curvature.anchor(objective(0.1), W);
    ASSERT_TRUE(curvature.has_fast());
    for (std::size_t i = 0; i < edits; ++i) {
      const BlockRow before = data.rows.row(i);
      data.rows.set_row(i, random_row(10 + i, 8));
      curvature.replace_row(i, before);
    }
    FastFactor::Step step;
    const FastFactor* factor = curvature.fast(objective(7.5), random_matrix(8, 8, 3), W, step);
    ASSERT_NE(factor, nullptr);
    EXPECT_EQ(factor->numbers().largest_ridge, 7.5) << edits;
  }
}

TEST(CheaperForm, IsDualForFewWideRowsAndPrimalForManyNarrowOnes) {
  EXPECT_EQ(cheaper_form(100, 8568), HessianForm::kDual);
  EXPECT_EQ(cheaper_form(50'000, 64), HessianForm::kPrimal);
}

}  // namespace
}  // namespace unscatter
