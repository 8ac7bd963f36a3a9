// Kept inverses, through their owner.
#include "learn/curvature.h"

#include <gtest/gtest.h>

#include "learn/wide_loss.h"
#include "linalg/row_products.h"
#include "support/random_rows.h"
#include "unscatter/base/random.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_row;
using testing::random_rows;

struct Problem {
  LabelledRows data;
  Matrix perturbation;
  bool perturbed = false;
  double ridge = 0.5;
  Loss loss = Loss::logistic();

  [[nodiscard]] Objective objective() const {
    return {data.rows, data.labels, data.classes, loss, ridge, perturbed ? &perturbation : nullptr};
  }
};

Problem problem(std::uint64_t seed, std::size_t n, std::size_t d, std::size_t K) {
  Problem result;
  result.data = random_rows(seed, {.rows = n, .columns = d, .classes = K, .row_norm = 2});
  result.perturbation = random_matrix(seed, d, K);
  return result;
}

// Rows change one after the other; each time the descent must arrive at the optimum that training finds.
void follow_edits(Problem problem, HessianForm form, std::size_t edits) {
  Matrix W = train(problem.objective()).value().weights;
  Curvature kept(form);
  ASSERT_TRUE(kept.build_inverses(problem.objective(), problem.objective().curvatures(problem.objective().margins(W))));
  for (std::size_t edit = 0; edit < edits; ++edit) {
    SCOPED_TRACE(::testing::Message() << "edit " << edit);
    const std::size_t i = (7 * edit) % problem.data.rows.rows();
    BlockRow row = edit % 4 == 3 ? BlockRow{} : random_row(edit, problem.data.rows.columns(), 0.5, 2);
    problem.data.rows.swap_row(i, row);  // `row` is now the old one
    const Objective objective = problem.objective();
    kept.replace_row(i, row);
    ASSERT_TRUE(kept.refresh_inverses(objective, W));
    ASSERT_TRUE(kept.has_inverses());
    const double tolerance = 1e-9;
    const auto descent = kept.descend(objective, W, objective.gradient(W), {.each = tolerance});
    ASSERT_TRUE(descent.has_value());
    EXPECT_LE(objective.gradient(descent->weights).colwise().norm().maxCoeff(), 1.01 * tolerance);
    const Matrix optimum = train(objective).value().weights;
    EXPECT_LE((descent->weights - optimum).norm(), 2 * tolerance * std::sqrt(problem.data.classes) / problem.ridge);
    // What the descent says about its end is true there.
    const Evaluation evaluation = objective.evaluate(descent->weights);
    EXPECT_EQ(descent->evaluation.gradient, evaluation.gradient);
    EXPECT_EQ(descent->evaluation.rounding, evaluation.rounding);
    W = descent->weights;
  }
}

TEST(KeptInverses, FollowEditsInBothForms) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    for (const std::size_t K : {1U, 2U, 3U}) {
      for (const bool perturbed : {false, true}) {
        SCOPED_TRACE(::testing::Message() << (form == HessianForm::kDual ? "dual, " : "primal, ") << K << " classes"
                                          << (perturbed ? ", perturbed" : ""));
        Problem random = form == HessianForm::kDual ? problem(K, 40, 60, K) : problem(K, 200, 15, K);
        random.perturbed = perturbed;
        follow_edits(std::move(random), form, 20);
      }
    }
  }
}

TEST(KeptInverses, FollowEditsWithEveryLoss) {
  for (const Loss& loss : testing::all_losses()) {
    if (loss.kind() == LossKind::kHuberSvm && loss.smoothing() < 0.5)
      continue;  // too crooked for chords: Newton takes over
    SCOPED_TRACE(loss.describe());
    Problem random = problem(5, 120, 12, 3);
    random.loss = loss;
    random.ridge = 5;
    follow_edits(std::move(random), HessianForm::kPrimal, 8);
  }
}

// The classes mirror each other, and the numbers say so exactly.
TEST(KeptInverses, TwoClassesAreMirrored) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    const Problem random = problem(3, 50, 40, 2);
    const Objective objective = random.objective();
    const Matrix start = Matrix::Zero(40, 2);
    Curvature kept(form);
    ASSERT_TRUE(kept.build_inverses(objective, objective.curvatures(objective.margins(start))));
    const auto descent = kept.descend(objective, start, objective.gradient(start), {.each = 1e-9});
    ASSERT_TRUE(descent.has_value());
    EXPECT_EQ(descent->weights.col(0), -descent->weights.col(1));
    EXPECT_LE(objective.gradient(descent->weights).colwise().norm().maxCoeff(), 1.01e-9);
  }
}

// Inverses of quite another problem lead nowhere; that is said, and they are not kept.
TEST(KeptInverses, GiveUpWhereTheyLeadNowhere) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    Problem random = problem(4, 60, 50, 3);
    const Objective objective = random.objective();
    Curvature kept(form);
    ASSERT_TRUE(kept.build_inverses(objective, Matrix::Constant(60, 3, 1e-9)));  // steps far too long
    const Matrix start = random_matrix(1, 50, 3);
    EXPECT_FALSE(kept.descend(objective, start, objective.gradient(start), {.each = 1e-9}).has_value());
    EXPECT_FALSE(kept.has_inverses());
  }
}

TEST(KeptInverses, AreRenewedWhenStaleOnesHaveCostAsMuch) {
  constexpr std::size_t kRows = 60;
  Problem random = problem(6, kRows, 80, 3);
  random.ridge = 0.2;
  Matrix W = train(random.objective()).value().weights;
  Curvature kept(HessianForm::kDual);
  ASSERT_TRUE(kept.build_inverses(random.objective(), random.objective().curvatures(random.objective().margins(W))));
  ASSERT_EQ(kept.builds(), 1U);
  std::size_t edits = 0;
  for (; edits < kRows && kept.builds() == 1; ++edits) {
    BlockRow row = random_row(edits, 80, 0.5, 1);
    random.data.rows.swap_row(edits, row);
    const Objective objective = random.objective();
    kept.replace_row(edits, row);
    ASSERT_TRUE(kept.refresh_inverses(objective, W));
    const auto descent = kept.descend(objective, W, objective.gradient(W), {.each = 1e-8});
    ASSERT_TRUE(descent.has_value());
    W = descent->weights;
  }
  EXPECT_EQ(kept.builds(), 2U);
  EXPECT_GT(edits, 2U);  // not at once either
}

// A row whose curvature moves from one extreme to the other within a descent: its line is renewed on the way, so that
// it takes a few steps, as with inverses that were built at the end.
TEST(KeptInverses, LinesThatAreFarOffAreRenewedOnTheWay) {
  Problem random = problem(8, 40, 80, 3);
  random.ridge = 0.05;
  const Objective objective = random.objective();
  const Matrix optimum = train(objective).value().weights;
  Matrix stale = objective.curvatures(objective.margins(optimum));
  stale(5, 0) *= 30;
  stale(6, 1) /= 30;
  const Matrix start = optimum + 1e-3 * random_matrix(2, 80, 3);
  const auto steps_with = [&](const Matrix& curvatures) {
    Curvature kept(HessianForm::kDual);
    EXPECT_TRUE(kept.build_inverses(objective, curvatures));
    const auto descent = kept.descend(objective, start, objective.gradient(start), {.each = 1e-10});
    EXPECT_TRUE(descent.has_value());
    return descent ? descent->steps : 1000;
  };
  EXPECT_LE(steps_with(stale), steps_with(objective.curvatures(objective.margins(optimum))) + 3);
}

// Curvatures that are zero somewhere cannot be divided by: the dual step then goes by the Gram matrix.
TEST(KeptInverses, DualFormTakesCurvaturesOfZero) {
  Problem random = problem(9, 40, 60, 3);
  random.loss = Loss::huber_svm(0.9).value();
  random.ridge = 3;
  const Matrix W = train(random.objective()).value().weights;
  const Matrix curvatures = random.objective().curvatures(random.objective().margins(W));
  ASSERT_EQ(curvatures.minCoeff(), 0);
  follow_edits(std::move(random), HessianForm::kDual, 8);
}

TEST(KeptInverses, SolveNewtonSystemsOfAllOrSomeClasses) {
  for (const HessianForm form : {HessianForm::kPrimal, HessianForm::kDual}) {
    for (const std::size_t K : {2U, 3U}) {
      const Problem random = form == HessianForm::kDual ? problem(K, 40, 60, K) : problem(K, 150, 20, K);
      const Objective objective = random.objective();
      const Matrix W = 0.3 * random_matrix(1, random.data.rows.columns(), K);
      const Matrix curvatures = objective.curvatures(objective.margins(W));
      Curvature kept(form);
      ASSERT_TRUE(kept.build_inverses(objective, 0.9 * curvatures));
      const Matrix right = random_matrix(2, random.data.rows.columns(), K);
      for (const std::vector<std::size_t>& classes :
           {std::vector<std::size_t>{K - 1}, std::vector<std::size_t>{0, 1}}) {
        Matrix D(curvatures.rows(), static_cast<Eigen::Index>(classes.size()));
        Matrix B(right.rows(), D.cols());
        for (std::size_t c = 0; c < classes.size(); ++c) {
          D.col(static_cast<Eigen::Index>(c)) = curvatures.col(static_cast<Eigen::Index>(classes[c]));
          B.col(static_cast<Eigen::Index>(c)) = right.col(static_cast<Eigen::Index>(classes[c]));
        }
        const auto X = kept.solve_by_inverses(objective, classes, D, B, 1e-12);
        ASSERT_TRUE(X.has_value());
        for (Eigen::Index c = 0; c < D.cols(); ++c) {
          const Vector left = weighted_square(random.data.rows, D.col(c)) * X->col(c) + random.ridge * X->col(c);
          EXPECT_LE((left - B.col(c)).norm(), 1e-9 * B.col(c).norm());
        }
      }
    }
  }
}

TEST(KeptInverses, ForgetOnRequest) {
  const Problem random = problem(7, 20, 30, 2);
  const Objective objective = random.objective();
  Curvature kept(HessianForm::kDual);
  EXPECT_FALSE(kept.has_inverses());
  ASSERT_TRUE(kept.build_inverses(objective, Matrix::Constant(20, 2, 0.25)));
  EXPECT_TRUE(kept.has_inverses());
  kept.drop_inverses();
  EXPECT_FALSE(kept.has_inverses());
}

}  // namespace
}  // namespace unscatter
