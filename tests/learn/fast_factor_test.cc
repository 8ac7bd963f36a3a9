#include "learn/fast_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <string>
#include <vector>

#include "support/random_rows.h"
#include "support/wide_gradient.h"
#include "unlearn/charge.h"
#include "unscatter/base/random.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::Wide;
using testing::WideMatrix;

constexpr std::size_t kFactorColumns = 12;
constexpr double kFactorLambda = 0.02;
constexpr std::size_t kAllThree[] = {0, 1, 2};

// Rows, weights and a factor that follow the same edits.
struct FollowedRows {
  FollowedRows(std::uint64_t seed, const Loss& chosen, double row_norm = 1)
      : loss(chosen),
        data(testing::random_rows(seed, {.rows = 80, .columns = kFactorColumns, .classes = 3, .row_norm = row_norm})),
        random(seed),
        anchor(train(objective()).value().weights),
        weights(anchor),
        anchor_ridge(ridge()),
        factor(FastFactor::anchor(objective(), anchor).value()) {}

  [[nodiscard]] double ridge() const { return kFactorLambda * static_cast<double>(living); }
  [[nodiscard]] Objective objective() const { return {data.rows, data.labels, 3, loss, ridge()}; }
  [[nodiscard]] WideMatrix gradient() const {
    return testing::wide_gradient(data.rows, data.labels, loss, ridge(), weights);
  }

  // A random row goes or becomes another one; the rows change, the factor does not yet.
  RowChange edit() {
    std::size_t row = random.below(80);
    while (data.rows.row(row).values.empty()) row = random.below(80);
    RowChange change{row, data.rows.row(row), {}, ChangeKind::kRemoved};
    if (random.chance(0.3)) {
      --living;
    } else {
      change.kind = ChangeKind::kStructure;
      change.after = testing::random_row(random.next(), kFactorColumns, 0.5, 0.2 + 2 * random.unit());
    }
    data.rows.set_row(row, change.after);
    return change;
  }

  Loss loss;
  LabelledRows data;
  std::size_t living = 80;
  Sequence random;
  Matrix anchor;
  Matrix weights;
  double anchor_ridge;
  FastFactor factor;
};

// One step along a random edit.  How much the residual grew, as a vector, over what the bound says; `spoil` may change
// the `before` row that the factor is told, and the step.
struct StepReport {
  bool intact = true;
  double worst_ratio = 0;  // of true growth to its bound
  Vector bound;
};

template <typename SpoilRow, typename SpoilStep>
StepReport step_along(FollowedRows& rows, SpoilRow spoil_row, SpoilStep spoil_step) {
  const WideMatrix before = rows.gradient();
  const RowChange change = rows.edit();
  const GradientChange delta =
      gradient_change(std::span(&change, 1), rows.data.labels, rows.loss, kFactorLambda, rows.weights);
  StepReport report;
  report.intact = rows.factor.replace_row(spoil_row(change.before), change.after, rows.data.labels[change.row]);
  if (!report.intact) return report;
  const Matrix steps = spoil_step(rows.factor.solve(delta.columns, kAllThree));
  const FastFactor::Growth told = rows.factor.growth(rows.weights, steps, delta.columns, rows.ridge(), kAllThree);
  report.bound = told.upper_bound + delta.rounding;
  rows.weights += steps;
  const WideMatrix growth = rows.gradient() - before;
  for (Eigen::Index k = 0; k < growth.cols(); ++k) {
    const Wide beyond = (growth.col(k) - told.defect.col(k).cast<Wide>()).norm();
    report.worst_ratio = std::max({report.worst_ratio, static_cast<double>(growth.col(k).norm() / report.bound(k)),
                                   static_cast<double>(beyond / (told.beyond_defect(k) + delta.rounding(k)))});
  }
  return report;
}

const auto kAsItIs = [](const auto& x) { return x; };

TEST(FastFactor, SolvesWithTheHessianOfThePresentRowsAtTheAnchor) {
  for (const Loss& loss : testing::all_losses()) {
    SCOPED_TRACE(loss.describe());
    FollowedRows rows(1, loss);
    for (int step = 0; step < 50; ++step) {
      const RowChange change = rows.edit();
      ASSERT_TRUE(rows.factor.replace_row(change.before, change.after, rows.data.labels[change.row]));
    }
    const Matrix right_side = testing::random_matrix(2, kFactorColumns, 3);
    const Matrix solved = rows.factor.solve(right_side, kAllThree);
    const Matrix Z = rows.data.rows.to_dense();
    const Matrix curvatures = rows.objective().curvatures(rows.objective().margins(rows.anchor));
    for (Eigen::Index k = 0; k < 3; ++k) {
      Matrix H = Z.transpose() * curvatures.col(k).asDiagonal() * Z;
      H.diagonal().array() += rows.anchor_ridge;
      const Vector expected = H.llt().solve(right_side.col(k));
      const double condition = H.norm() / rows.anchor_ridge;
      EXPECT_LE((solved.col(k) - expected).norm(), 1e-13 * condition * expected.norm()) << k;
    }
  }
}

// Edits work on one triangle.  What is kept outside has both, and no row that went stands in either.
TEST(FastFactor, KeepsTheHessiansOfThePresentRowsOutside) {
  FollowedRows rows(3, Loss::logistic());
  for (int step = 0; step < 50; ++step) {
    const RowChange change = rows.edit();
    ASSERT_TRUE(rows.factor.replace_row(change.before, change.after, rows.data.labels[change.row]));
  }
  const KeptCurvature kept = rows.factor.numbers();
  const FastFactor again = FastFactor::restore(rows.objective(), kept).value();
  const Matrix Z = rows.data.rows.to_dense();
  const Matrix curvatures = rows.objective().curvatures(rows.objective().margins(rows.anchor));
  for (Eigen::Index k = 0; k < 3; ++k) {
    Matrix H = Z.transpose() * curvatures.col(k).asDiagonal() * Z;
    H.diagonal().array() += rows.anchor_ridge;
    const Matrix& outside = kept.hessians[static_cast<std::size_t>(k)];
    EXPECT_LE((outside - H).cwiseAbs().maxCoeff(), 1e-12 * H.norm());
    EXPECT_EQ(outside, outside.transpose());
    EXPECT_EQ(outside, again.numbers().hessians[static_cast<std::size_t>(k)]);
  }
}

// Wide enough that the inverses are kept in single precision.  The bound sees what that leaves over.
TEST(FastFactor, TheBoundCoversStepsInSinglePrecision) {
  constexpr std::size_t kWidth = 430;
  LabelledRows data = testing::random_rows(11, {.rows = 600, .columns = kWidth, .classes = 3});
  const double ridge = 0.02 * 600;
  const Loss loss = Loss::logistic();
  const Objective objective{data.rows, data.labels, 3, loss, ridge};
  const Matrix weights = train(objective).value().weights;
  FastFactor factor = FastFactor::anchor(objective, weights).value();
  const Matrix right_side = testing::random_matrix(2, kWidth, 3);
  const Matrix steps = factor.solve(right_side, kAllThree);
  const FastFactor::Growth growth = factor.growth(weights, steps, right_side, ridge, kAllThree);
  for (Eigen::Index k = 0; k < 3; ++k) {
    // Rounding of single precision, and no more than that.
    EXPECT_GE(growth.defect.col(k).norm(), 1e-10 * right_side.col(k).norm());
    EXPECT_LE(growth.defect.col(k).norm(), 1e-2 * right_side.col(k).norm());
    const WideMatrix before = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights);
    const WideMatrix after = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights + steps);
    const Wide grown = (after.col(k) - before.col(k) - right_side.col(k).cast<Wide>()).norm();
    EXPECT_LE(static_cast<double>(grown), growth.upper_bound(k));
  }
}

// With the squared loss a step may be put together from two columns for all classes.  What it leaves over is then known
// as before, and the bound covers the growth in 80 bits.  The larger width has its triangles cut into parts.
TEST(FastFactor, AStepFromTwoColumnsIsBoundedLikeAnyOther) {
  constexpr std::size_t kClasses = 5;
  const Loss loss = Loss::squared();
  for (const std::size_t width : {33U, 1040U}) {
    LabelledRows data = testing::random_rows(7, {.rows = 90, .columns = width, .classes = kClasses});
    const double ridge = 0.05 * 90;
    const auto objective = [&] { return Objective{data.rows, data.labels, kClasses, loss, ridge}; };
    // Not trained: something is left over from before.
    Matrix weights = 0.1 * testing::random_matrix(1, width, kClasses);
    FastFactor factor = FastFactor::anchor(objective(), weights).value();
    for (std::size_t row = 0; row < 20; ++row) {
      const WideMatrix before = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights);
      RowChange change{row, data.rows.row(row), testing::random_row(row, width, 0.5, 1), ChangeKind::kStructure};
      data.rows.set_row(row, change.after);
      const GradientChange delta = gradient_change(std::span(&change, 1), data.labels, loss, 0.05, weights);
      const Matrix left_over = 1e-3 * testing::random_matrix(50 + row, width, kClasses);
      const Matrix wanted = delta.columns - left_over;
      FastFactor::Step step;
      ASSERT_TRUE(factor.replace_row(change.before, change.after, data.labels[row], data.labels[row], wanted, weights,
                                     step, 2 * left_over.norm()));
      ASSERT_EQ(step.lengths.size(), static_cast<Eigen::Index>(kClasses)) << "two columns";
      const FastFactor::Growth told = factor.growth(weights, step, wanted, ridge);
      // What was left over before is what is left over now.
      EXPECT_LE((told.defect - left_over).norm(), 1e-10 * delta.columns.norm());
      weights += step.columns;
      const WideMatrix after = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights);
      for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(kClasses); ++k) {
        // The gradient was u before, is u + growth now, and the edit alone changed it by -Delta.
        const WideMatrix grown = after.col(k) - before.col(k) + left_over.col(k).cast<Wide>();
        EXPECT_LE(static_cast<double>((grown - told.defect.col(k).cast<Wide>()).norm()),
                  told.beyond_defect(k) + delta.rounding(k))
            << row << ", " << k;
      }
      // Shares of a row that was another one leave more over than they may.
      FastFactor::Step other;
      FastFactor copy = factor;
      ASSERT_TRUE(copy.replace_row(change.after, change.before, data.labels[row], data.labels[row], wanted, weights,
                                   other, 2 * left_over.norm()));
      EXPECT_EQ(other.lengths.size(), 0);
    }
  }
}

// Six classes: with the squared loss one matrix serves all of them, by the kernels for many columns.  The step that
// comes with an edit is the one of solve(), its bound is the one of growth(), and it covers the growth in 80 bits.
TEST(FastFactor, TheStepThatComesWithAnEditIsBoundedLikeAnyOther) {
  constexpr std::size_t kClasses = 6;
  constexpr std::size_t kWidth = 33;
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5};
  for (const Loss& loss : testing::all_losses()) {
    SCOPED_TRACE(loss.describe());
    LabelledRows data = testing::random_rows(7, {.rows = 90, .columns = kWidth, .classes = kClasses});
    const double ridge = 0.05 * 90;
    const auto objective = [&] { return Objective{data.rows, data.labels, kClasses, loss, ridge}; };
    Matrix weights = train(objective()).value().weights;
    FastFactor factor = FastFactor::anchor(objective(), weights).value();
    for (std::size_t row = 0; row < 20; ++row) {
      const WideMatrix before = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights);
      RowChange change{row, data.rows.row(row), testing::random_row(row, kWidth, 0.5, 1), ChangeKind::kStructure};
      data.rows.set_row(row, change.after);
      const GradientChange delta = gradient_change(std::span(&change, 1), data.labels, loss, 0.05, weights);
      FastFactor::Step step;
      ASSERT_TRUE(factor.replace_row(change.before, change.after, data.labels[row], data.labels[row], delta.columns,
                                     weights, step));
      const Matrix solved = factor.solve(delta.columns, all);
      EXPECT_LE((step.columns - solved).norm(), 1e-9 * solved.norm());
      const FastFactor::Growth told = factor.growth(weights, step, delta.columns, ridge);
      const FastFactor::Growth again = factor.growth(weights, step.columns, delta.columns, ridge, all);
      EXPECT_EQ(told.defect, again.defect);
      EXPECT_EQ(told.upper_bound, again.upper_bound);
      weights += step.columns;
      const WideMatrix after = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights);
      for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(kClasses); ++k) {
        const WideMatrix growth = after.col(k) - before.col(k);
        EXPECT_LE(static_cast<double>(growth.norm()), told.upper_bound(k) + delta.rounding(k)) << row << ", " << k;
        EXPECT_LE(static_cast<double>((growth - told.defect.col(k).cast<Wide>()).norm()),
                  told.beyond_defect(k) + delta.rounding(k))
            << row << ", " << k;
      }
    }
    // What is kept outside has a matrix for every class, or one for all of them, and goes on from there.
    const KeptCurvature kept = factor.numbers();
    const Matrix Z = data.rows.to_dense();
    if (loss.curvature_lipschitz() == 0) {
      ASSERT_EQ(kept.hessians.size(), 1u);
      EXPECT_EQ(kept.square.size(), 0);
      EXPECT_EQ(kept.anchor.norm(), 0);
      Matrix A = loss.curvature_bound() * Z.transpose() * Z;
      A.diagonal().array() += kept.ridge;
      EXPECT_LE((kept.hessians[0] - A).norm(), 1e-11 * A.norm());
    } else {
      ASSERT_EQ(kept.hessians.size(), kClasses);
      EXPECT_LE((kept.square - Z.transpose() * Z).norm(), 1e-11 * kept.square.norm());
    }
    FastFactor restored = FastFactor::restore(objective(), kept).value();
    const Matrix right_sides = testing::random_matrix(3, kWidth, kClasses);
    EXPECT_LE((restored.solve(right_sides, all) - factor.solve(right_sides, all)).norm(), 1e-9 * right_sides.norm());
    // One matrix without an inverse takes the ridge of the data.  Then nothing of a step is left over.
    restored.note_ridge(0.9 * ridge);
    const FastFactor::Growth at_other_ridge =
        restored.growth(weights, restored.solve(right_sides, all), right_sides, 0.9 * ridge, all);
    if (loss.curvature_lipschitz() == 0) {
      EXPECT_EQ(restored.numbers().ridge, 0.9 * ridge);
      EXPECT_LE(at_other_ridge.defect.norm(), 1e-12 * right_sides.norm());
    } else {
      EXPECT_GE(at_other_ridge.defect.norm(), 1e-3 * right_sides.norm());
    }
  }
}

TEST(FastFactor, TheBoundCoversTheTrueGrowth) {
  for (const Loss& loss : testing::all_losses()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(loss.describe() + ", seed " + std::to_string(seed));
      FollowedRows rows(seed, loss);
      for (int step = 0; step < 50; ++step) {
        const StepReport report = step_along(rows, kAsItIs, kAsItIs);
        ASSERT_TRUE(report.intact) << step;
        EXPECT_LE(report.worst_ratio, 1) << step;
      }
    }
  }
}

// The numbers that the anchor took of its rows, the longest and |Z|, must follow rows that are far longer.
TEST(FastFactor, TheBoundCoversTheGrowthByRowsFarLongerThanTheAnchors) {
  for (const Loss& loss : testing::all_losses()) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(loss.describe() + ", seed " + std::to_string(seed));
      FollowedRows rows(seed, loss, 1e-3);
      for (int step = 0; step < 5; ++step) EXPECT_LE(step_along(rows, kAsItIs, kAsItIs).worst_ratio, 1) << step;
    }
  }
}

// (12) is never above the bound with |Z| in it, because |Z x| <= |Z| |x|.  Where |l'''| <= l'' it is far below.
TEST(FastFactor, TheBoundIsNeverAboveTheOneByTheSpectralNorm) {
  for (const Loss& loss : testing::all_losses()) {
    SCOPED_TRACE(loss.describe());
    FollowedRows rows(11, loss);
    for (int step = 0; step < 20; ++step) {
      const Matrix weights = rows.weights;
      const StepReport report = step_along(rows, kAsItIs, kAsItIs);
      const Matrix Z = rows.data.rows.to_dense();
      const Matrix v = rows.weights - weights;
      const double longest = Z.rowwise().norm().maxCoeff();
      const double spectral = Z.jacobiSvd().singularValues()(0);
      for (Eigen::Index k = 0; k < 3; ++k) {
        const double drift = (weights - rows.anchor).col(k).norm() + v.col(k).norm() / 2;
        const double by_norm = loss.curvature_lipschitz() * longest * drift * spectral * (Z * v.col(k)).norm();
        // What removed graphs took from the ridge, and rounding, are in both.
        const double ridge_part = (rows.anchor_ridge - rows.ridge()) * v.col(k).norm();
        // R and the terms of rounding follow rows that have gone, so the longest row may be longer than those left.
        EXPECT_LE(report.bound(k), 4 * by_norm + 1.01 * ridge_part + 1e-9) << step << ", class " << k;
      }
    }
  }
}

// With a quadratic there is no curvature to drift, and the bound is small: what the ridge lost since the anchor, and
// rounding.
TEST(FastFactor, TheBoundIsSmallForTheSquaredLossWhileNoGraphGoes) {
  FollowedRows rows(3, Loss::squared());
  for (int step = 0; step < 50; ++step) {
    const StepReport report = step_along(rows, kAsItIs, kAsItIs);
    if (rows.living < 80) break;
    EXPECT_LE(report.bound.maxCoeff(), 1e-10) << step;
  }
}

// A step that the factor got wrong is charged: the product with the matrix itself shows it.
TEST(FastFactor, ASpoiltSolveShowsInTheBoundWhichStillHolds) {
  for (const Loss& loss : testing::all_losses()) {
    for (const double size : {1e-6, 1e-2, 10.0}) {
      SCOPED_TRACE(loss.describe() + ", spoilt by " + std::to_string(size));
      FollowedRows rows(5, loss);
      for (std::uint64_t step = 0; step < 10; ++step) {
        const Matrix noise = size * testing::random_matrix(step, kFactorColumns, 3);
        const StepReport report =
            step_along(rows, kAsItIs, [&](const Matrix& steps) -> Matrix { return steps + noise; });
        EXPECT_LE(report.worst_ratio, 1);
        // |A x| >= ridge |x|; removed graphs have taken a part of the ridge.
        for (Eigen::Index k = 0; k < 3; ++k) EXPECT_GE(report.bound(k), 0.5 * rows.ridge() * noise.col(k).norm());
      }
    }
  }
}

// A planted fault: the factor is told of another row than the one that goes.  Either a factor breaks, or the check of
// TheBoundCoversTheTrueGrowth notices, which it does for certain where no drift of the curvature hides the fault.
TEST(FastFactor, AWrongRowIsCaught) {
  std::size_t caught = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    FollowedRows rows(seed, Loss::squared());
    const BlockRow wrong = testing::random_row(seed + 100, kFactorColumns);
    const StepReport report = step_along(
        rows, [&](const BlockRow&) { return wrong; }, kAsItIs);
    caught += !report.intact || report.worst_ratio > 1 ? 1U : 0U;
  }
  EXPECT_EQ(caught, 40u);
}

// Rows come until the ridge is several times that of the anchor, and labels change.  `forget_label`: a planted fault,
// the factor is not told that the label was another one.
StepReport step_along_growth(FollowedRows& rows, bool forget_label) {
  const WideMatrix before = rows.gradient();
  const double ridge_before = rows.ridge();
  RowChange change;
  if (rows.random.chance(0.5)) {
    change = {rows.data.rows.rows(), {}, {}, ChangeKind::kAdded};
    change.after = testing::random_row(rows.random.next(), kFactorColumns, 0.5, 0.2 + 2 * rows.random.unit());
    change.label_after = static_cast<std::uint32_t>(rows.random.below(3));
    change.label_before = 0;
    rows.data.rows.append_row(change.after);
    rows.data.labels.push_back(*change.label_after);
    ++rows.living;
  } else {
    const std::size_t row = rows.random.below(rows.data.rows.rows());
    const std::uint32_t label = rows.data.labels[row];
    change = {row, rows.data.rows.row(row), rows.data.rows.row(row), ChangeKind::kStructure, (label + 1) % 3, label};
    rows.data.labels[row] = *change.label_after;
  }
  const GradientChange delta =
      gradient_change(std::span(&change, 1), rows.data.labels, rows.loss, kFactorLambda, rows.weights);
  StepReport report;
  rows.factor.note_ridge(ridge_before);
  rows.factor.note_ridge(rows.ridge());
  report.intact = rows.factor.replace_row(change.before, change.after, *change.label_after,
                                          forget_label ? *change.label_after : *change.label_before);
  if (!report.intact) return report;
  const Matrix steps = rows.factor.solve(delta.columns, kAllThree);
  report.bound =
      rows.factor.growth(rows.weights, steps, delta.columns, rows.ridge(), kAllThree).upper_bound + delta.rounding;
  rows.weights += steps;
  const WideMatrix growth = rows.gradient() - before;
  for (Eigen::Index k = 0; k < growth.cols(); ++k) {
    report.worst_ratio = std::max(report.worst_ratio, static_cast<double>(growth.col(k).norm() / report.bound(k)));
  }
  return report;
}

TEST(FastFactor, TheBoundCoversRowsThatComeAndLabelsThatChange) {
  for (const Loss& loss : testing::all_losses()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(loss.describe() + ", seed " + std::to_string(seed));
      FollowedRows rows(seed, loss);
      for (int step = 0; step < 60; ++step) {
        const StepReport report = step_along_growth(rows, false);
        ASSERT_TRUE(report.intact) << step;
        EXPECT_LE(report.worst_ratio, 1) << step;
      }
      EXPECT_GT(rows.ridge(), rows.anchor_ridge);
    }
  }
}

// l'' of huber-svm is not even: a factor that is not told of the old label is not the Hessian of the rows any more.
TEST(FastFactor, AFactorThatMissesAChangeOfLabelIsCaught) {
  const Loss loss = Loss::huber_svm().value();
  for (const bool forget_label : {false, true}) {
    FollowedRows rows(4, loss);
    for (int step = 0; step < 60; ++step) {
      if (!step_along_growth(rows, forget_label).intact) break;
    }
    const Matrix right_side = testing::random_matrix(2, kFactorColumns, 3);
    const Matrix solved = rows.factor.solve(right_side, kAllThree);
    const Matrix Z = rows.data.rows.to_dense();
    const Matrix curvatures = rows.objective().curvatures(rows.objective().margins(rows.anchor));
    double worst = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      Matrix H = Z.transpose() * curvatures.col(k).asDiagonal() * Z;
      H.diagonal().array() += rows.anchor_ridge;
      const Vector expected = H.llt().solve(right_side.col(k));
      worst = std::max(worst, (solved.col(k) - expected).norm() / expected.norm());
    }
    if (forget_label) {
      EXPECT_GT(worst, 1e-3);
    } else {
      EXPECT_LE(worst, 1e-9);
    }
  }
}

TEST(FastFactor, ARowThatWasNeverThereBreaksAFactor) {
  FollowedRows rows(7, Loss::squared());
  EXPECT_FALSE(rows.factor.replace_row(testing::random_row(1, kFactorColumns, 0.5, 1e3), {}, 0));
}

}  // namespace
}  // namespace unscatter
