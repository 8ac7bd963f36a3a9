#include "unscatter/learn/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "learn/wide_loss.h"
#include "linalg/row_products.h"
#include "support/random_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using testing::all_losses;
using testing::expect_near;
using testing::LabelledRows;
using testing::random_matrix;
using testing::random_rows;
using testing::Wide;
using testing::WideLoss;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

// The formulas at the top of the header on dense matrices, in long double.
struct WideObjective {
  const Objective& objective;
  WideMatrix rows = objective.rows().to_dense().cast<Wide>();

  [[nodiscard]] WideMatrix margins(const Matrix& W) const {
    WideMatrix t = rows * W.cast<Wide>();
    for (Eigen::Index i = 0; i < t.rows(); ++i) {
      for (Eigen::Index k = 0; k < t.cols(); ++k) t(i, k) *= sign(i, k);
    }
    return t;
  }
  [[nodiscard]] WideMatrix gradient(const Matrix& W) const {
    WideMatrix slopes = margins(W);
    for (Eigen::Index i = 0; i < slopes.rows(); ++i) {
      for (Eigen::Index k = 0; k < slopes.cols(); ++k) slopes(i, k) = sign(i, k) * loss().slope(slopes(i, k));
    }
    WideMatrix result = rows.transpose() * slopes + static_cast<Wide>(objective.ridge()) * W.cast<Wide>();
    if (objective.perturbation() != nullptr) result += objective.perturbation()->cast<Wide>();
    return result;
  }
  [[nodiscard]] WideMatrix newton_defect(const Matrix& W, const Matrix& V, const Matrix& right) const {
    const WideMatrix curvatures = margins(W).unaryExpr([this](Wide t) { return loss().curvature(t); });
    return rows.transpose() * curvatures.cwiseProduct(rows * V.cast<Wide>()) +
           static_cast<Wide>(objective.ridge()) * V.cast<Wide>() - right.cast<Wide>();
  }
  [[nodiscard]] Wide value(std::size_t label, const Matrix& W) const {
    const auto k = static_cast<Eigen::Index>(label);
    const auto w = W.col(k).cast<Wide>();
    Wide sum = static_cast<Wide>(objective.ridge()) / 2 * w.squaredNorm();
    if (objective.perturbation() != nullptr) sum += objective.perturbation()->col(k).cast<Wide>().dot(w);
    const WideMatrix t = margins(W);
    for (Eigen::Index i = 0; i < t.rows(); ++i) sum += loss().value(t(i, k));
    return sum;
  }

 private:
  [[nodiscard]] WideLoss loss() const { return {objective.loss()}; }
  [[nodiscard]] Wide sign(Eigen::Index i, Eigen::Index k) const {
    return objective.sign(static_cast<std::size_t>(i), static_cast<std::size_t>(k));
  }
};

// A problem of its own for each loss, with and without a perturbation.
template <typename Body>
void for_each_objective(Body body) {
  std::uint64_t seed = 0;
  for (const Loss& loss : all_losses()) {
    for (const bool perturbed : {false, true}) {
      ++seed;
      SCOPED_TRACE(::testing::Message() << loss.describe() << (perturbed ? ", perturbed" : "") << ", seed " << seed);
      const LabelledRows data = random_rows(seed, {.rows = 30, .columns = 12, .classes = 3, .row_norm = 2});
      const Matrix B = random_matrix(seed, 12, 3);
      body(Objective(data.rows, data.labels, 3, loss, 0.7, perturbed ? &B : nullptr),
           2 * random_matrix(seed + 50, 12, 3));
    }
  }
}

TEST(Objective, SignsAreOneVsRest) {
  const LabelledRows data = random_rows(1, {.rows = 9, .classes = 4});
  const Objective objective(data.rows, data.labels, 4, Loss::logistic(), 1);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(objective.sign(i, k), data.labels[i] == k ? 1 : -1);
  }
}

TEST(Objective, GradientIsTheDerivativeOfTheValue) {
  for_each_objective([](const Objective& objective, const Matrix& W) {
    const WideObjective wide{objective};
    const Matrix gradient = objective.gradient(W);
    const Matrix margins = objective.margins(W);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      expect_near(objective.value(k, margins.col(column), W.col(column)), wide.value(k, W),
                  1e-13 * std::abs(wide.value(k, W)));
      constexpr double kStep = 0x1p-13;  // exact in double
      for (Eigen::Index j = 0; j < W.rows(); j += 5) {
        Matrix up = W, down = W;
        up(j, column) += kStep;
        down(j, column) -= kStep;
        const Wide difference = (wide.value(k, up) - wide.value(k, down)) / (up(j, column) - down(j, column));
        // Each row adds its third derivative, l''' z_ij^3, of which huber-svm:0.03 has plenty at its kinks.
        expect_near(gradient(j, column), difference,
                    1e-11 + 30 * kStep * kStep * objective.loss().curvature_lipschitz());
      }
    }
  });
}

TEST(Objective, ChangeIsTheDifferenceOfValues) {
  for_each_objective([](const Objective& objective, const Matrix& W) {
    const WideObjective wide{objective};
    const Matrix V = random_matrix(99, 12, 3);
    const Matrix margins = objective.margins(W);
    Matrix products = product(objective.rows(), V);
    objective.apply_signs(products);
    for (const double t : {1.0, -0.5, 0x1p-10, 0x1p-20}) {
      const Matrix moved = W + t * V;  // rounded, which the last tolerance below allows for
      for (std::size_t k = 0; k < 3; ++k) {
        const auto c = static_cast<Eigen::Index>(k);
        const double change = objective.change(k, margins.col(c), products.col(c), W.col(c), V.col(c), t);
        expect_near(change, wide.value(k, moved) - wide.value(k, W), 1e-13 * std::abs(change) + 1e-13);
      }
    }
    // A step far below what a value of size 30 can show: the gradient says what it must be.
    const Matrix gradient = objective.gradient(W);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      const double expected = 1e-40 * gradient.col(c).dot(V.col(c));
      EXPECT_NEAR(objective.change(k, margins.col(c), products.col(c), W.col(c), V.col(c), 1e-40), expected, 1e-52);
    }
  });
}

TEST(Objective, AnEmptyRowHasNoEffect) {
  const LabelledRows data = random_rows(4, {.rows = 20, .columns = 15, .classes = 2});
  SparseBlockRows emptied = data.rows;
  emptied.set_row(7, {});
  SparseBlockRows without(0, 15);
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < 20; ++i) {
    if (i == 7) continue;
    without.append_row(data.rows.row(i));
    labels.push_back(data.labels[i]);
  }
  const Matrix W = random_matrix(1, 15, 2);
  const Objective a(emptied, data.labels, 2, Loss::logistic(), 0.3);
  const Objective b(without, labels, 2, Loss::logistic(), 0.3);
  const Objective whole(data.rows, data.labels, 2, Loss::logistic(), 0.3);
  EXPECT_LE((a.gradient(W) - b.gradient(W)).norm(), 1e-14);
  EXPECT_GT((a.gradient(W) - whole.gradient(W)).norm(), 1e-3);
  // Its own bound does not see the row either.
  EXPECT_LE(a.gradient_rounding_upper_bound(a.margins(W), W).maxCoeff(),
            whole.gradient_rounding_upper_bound(whole.margins(W), W).maxCoeff());
}

TEST(Objective, PerturbationIsAddedToTheGradientOfItsClass) {
  const LabelledRows data = random_rows(5, {.rows = 10, .columns = 6, .classes = 3});
  const Matrix B = random_matrix(2, 6, 3);
  const Matrix W = random_matrix(3, 6, 3);
  const Objective plain(data.rows, data.labels, 3, Loss::logistic(), 0.3);
  const Objective perturbed(data.rows, data.labels, 3, Loss::logistic(), 0.3, &B);
  EXPECT_LE((perturbed.gradient(W) - plain.gradient(W) - B).norm(), 1e-14);
}

TEST(Objective, ResultsDoNotDependOnTheNumberOfThreads) {
  const LabelledRows data = random_rows(6, {.rows = 700, .columns = 20, .classes = 3});
  const Matrix W = random_matrix(1, 20, 3);
  const Objective one(data.rows, data.labels, 3, Loss::logistic(), 0.3, nullptr, 1);
  for (const std::size_t threads : {2UL, 0UL}) {
    const Objective more(data.rows, data.labels, 3, Loss::logistic(), 0.3, nullptr, threads);
    EXPECT_EQ(one.margins(W), more.margins(W));
    EXPECT_EQ(one.gradient(W), more.gradient(W));
  }
}

TEST(Objective, RefusesWhatDoesNotFit) {
  const LabelledRows data = random_rows(6, {.rows = 5, .columns = 4, .classes = 2});
  const std::vector<std::uint32_t> few = {0, 1};
  const Matrix narrow = Matrix::Zero(3, 2);
  EXPECT_THROW(Objective(data.rows, few, 2, Loss::logistic(), 1), InvariantViolation);
  EXPECT_THROW(Objective(data.rows, data.labels, 1, Loss::logistic(), 1), InvariantViolation);
  EXPECT_THROW(Objective(data.rows, data.labels, 2, Loss::logistic(), -1), InvariantViolation);
  EXPECT_THROW(Objective(data.rows, data.labels, 2, Loss::logistic(), NAN), InvariantViolation);
  EXPECT_THROW(Objective(data.rows, data.labels, 2, Loss::logistic(), 1, &narrow), InvariantViolation);
}

// Everything a certificate takes on trust about floating point: the computed gradient is within its envelope of the
// true one.
struct RoundingCase {
  std::size_t rows, columns;
  double density, row_norm, weight_scale, ridge;
  bool perturbed;
};
const RoundingCase kRoundingCases[] = {
    {1, 1, 1, 1, 1, 1, false},         {30, 12, 0.5, 2, 1, 0.1, true},      {20, 300, 0.1, 2, 30, 1e-3, false},
    {300, 40, 1, 1e-3, 1e3, 5, true},  {200, 30, 0.7, 1e4, 1e-3, 1, false}, {130, 25, 0.5, 1, 1e4, 1e-6, false},
    {5000, 20, 0.5, 1, 0.1, 50, true}, {5000, 15, 0.9, 3, 20, 0.5, false},
};

template <typename Check>
void for_each_rounding_case(Check check) {
  std::uint64_t seed = 0;
  for (const RoundingCase& c : kRoundingCases) {
    const LabelledRows data = random_rows(
        ++seed, {.rows = c.rows, .columns = c.columns, .classes = 3, .density = c.density, .row_norm = c.row_norm});
    const Matrix B = 10 * random_matrix(seed, c.columns, 3);
    const Matrix W = c.weight_scale * random_matrix(seed + 20, c.columns, 3);
    for (const Loss& loss : all_losses()) {
      SCOPED_TRACE(::testing::Message() << loss.describe() << ", " << c.rows << " x " << c.columns << ", seed "
                                        << seed);
      check(Objective(data.rows, data.labels, 3, loss, c.ridge, c.perturbed ? &B : nullptr), W);
    }
  }
}

// `useful`: the envelope is also not absurdly wide.
void expect_covered(const Matrix& computed, const WideMatrix& exact, const Vector& bound, bool useful = true) {
  for (Eigen::Index k = 0; k < bound.size(); ++k) {
    const Wide error = (computed.col(k).cast<Wide>() - exact.col(k)).norm();
    EXPECT_LE(error, bound(k)) << "class " << k;
    if (useful) {
      EXPECT_LE(bound(k), 1e6L * (error + 0x1p-53L * exact.col(k).norm())) << "class " << k;
    }
  }
}

TEST(ObjectiveRounding, GradientIsWithinItsEnvelope) {
  for_each_rounding_case([](const Objective& objective, const Matrix& W) {
    const Matrix margins = objective.margins(W);
    expect_covered(objective.gradient(margins, W), WideObjective{objective}.gradient(W),
                   objective.gradient_rounding_upper_bound(margins, W));
  });
}

// Near an optimum the gradient is small and its envelope is not: the case that matters.
TEST(ObjectiveRounding, EnvelopeDoesNotShrinkWithTheGradient) {
  const LabelledRows data = random_rows(3, {.rows = 5000, .columns = 6, .classes = 1});
  Objective zero(data.rows, data.labels, 1, Loss::squared(), 0.5);
  const Matrix W = random_matrix(4, 6, 1);
  const Matrix B = -zero.gradient(W);  // moves the optimum to W, up to rounding
  const Objective objective(data.rows, data.labels, 1, Loss::squared(), 0.5, &B);
  const Matrix computed = objective.gradient(W);
  EXPECT_LE(computed.norm(), 1e-12);
  const Vector bound = objective.gradient_rounding_upper_bound(objective.margins(W), W);
  EXPECT_LE((computed.cast<Wide>() - WideObjective{objective}.gradient(W)).norm(), bound(0));
  EXPECT_LE(bound(0), 1e-9);
}

TEST(ObjectiveRounding, NewtonDefectIsWithinItsEnvelope) {
  for_each_rounding_case([](const Objective& objective, const Matrix& W) {
    const std::size_t d = objective.width();
    const Matrix V = 0.1 * random_matrix(77, d, 3);
    const Matrix right = 3 * random_matrix(78, d, 3);
    const Matrix curvatures = objective.curvatures(objective.margins(W));
    const Matrix products = product(objective.rows(), V);
    expect_covered(
        objective.newton_defect(curvatures, products, V, right), WideObjective{objective}.newton_defect(W, V, right),
        objective.newton_defect_rounding_upper_bound(curvatures, products, W, V, right),
        objective.loss().curvature_lipschitz() < 10);  // a nearly sharp corner counts for all rows, however far
  });
}

// A certificate may rest on some classes that are evaluated now and on others that were evaluated before.
TEST(Objective, SomeClassesAreEvaluatedAsAllAreBitForBit) {
  const LabelledRows data = random_rows(8, {.rows = 300, .columns = 21, .classes = 7});
  const Matrix W = random_matrix(9, 21, 7);
  const Matrix noise = random_matrix(10, 21, 7);
  for (const Loss& loss : all_losses()) {
    for (const Matrix* perturbation : {static_cast<const Matrix*>(nullptr), &noise}) {
      const Objective objective(data.rows, data.labels, 7, loss, 0.3, perturbation);
      const Evaluation all = objective.evaluate(W);
      for (const std::vector<std::size_t>& some :
           {std::vector<std::size_t>{0}, {6}, {1, 4}, {0, 2, 3, 5, 6}, {0, 1, 2, 3, 4, 5, 6}}) {
        Matrix columns(21, static_cast<Eigen::Index>(some.size()));
        for (std::size_t c = 0; c < some.size(); ++c) {
          columns.col(static_cast<Eigen::Index>(c)) = W.col(static_cast<Eigen::Index>(some[c]));
        }
        const Evaluation found = objective.evaluate(columns, some);
        for (std::size_t c = 0; c < some.size(); ++c) {
          const auto column = static_cast<Eigen::Index>(c);
          const auto k = static_cast<Eigen::Index>(some[c]);
          EXPECT_EQ(found.gradient.col(column), all.gradient.col(k)) << loss.describe() << ", class " << k;
          EXPECT_EQ(found.rounding(column), all.rounding(k)) << loss.describe() << ", class " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
