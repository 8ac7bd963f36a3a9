// Objectives and training where ranks share the rows (linalg/row_share.h).
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learn/anchored_rows.h"
#include "learn/curvature.h"
#include "learn/row_descent.h"
#include "support/shared_rows.h"
#include "unscatter/learn/objective.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::even_cuts;
using testing::LabelledRows;
using testing::on_shares;
using testing::random_cuts;
using testing::random_matrix;
using testing::random_rows;
using testing::together;

std::vector<Loss> every_loss() { return {Loss::logistic(), Loss::squared(), Loss::huber_svm().value()}; }

std::vector<std::vector<std::size_t>> some_cuts(std::size_t rows) {
  return {even_cuts(rows, 2), even_cuts(rows, 3), even_cuts(rows, 7), random_cuts(rows, 5, 1), random_cuts(rows, 5, 2)};
}

TEST(SharedTraining, EvaluationsAndBoundsAreThoseOfOneProcess) {
  for (const std::size_t n : {127U, 129U, 1000U, 5000U}) {
    const LabelledRows all = random_rows(n, {.rows = n, .columns = 8, .classes = 3});
    const Matrix W = random_matrix(1, 8, 3);
    const Matrix V = 1e-3 * random_matrix(2, 8, 3);
    const Matrix b = random_matrix(3, 8, 3);
    for (const Loss& loss : every_loss()) {
      const auto numbers = [&](const SparseBlockRows& rows, const std::vector<std::uint32_t>& labels) {
        const Objective objective(rows, labels, 3, loss, 0.5, &b);
        const Evaluation evaluation = objective.evaluate(W);
        const std::vector<std::size_t> some = {0, 2};
        Matrix two(8, 2);
        two << W.col(0), W.col(2);
        const Evaluation of_some = objective.evaluate(two, some);
        const Matrix margins = objective.margins(W);
        const Matrix curvatures = objective.curvatures(margins);
        Matrix products(margins.rows(), 3);
        for (Eigen::Index i = 0; i < margins.rows(); ++i) {
          for (Eigen::Index k = 0; k < 3; ++k) {
            products(i, k) = margins(i, k) / 3;
          }
        }
        std::vector<Matrix> found = {evaluation.gradient,
                                     evaluation.rounding,
                                     of_some.gradient,
                                     of_some.rounding,
                                     objective.gradient(margins, W),
                                     objective.gradient_rounding_upper_bound(margins, W),
                                     objective.newton_defect(curvatures, products, V, b),
                                     objective.newton_defect_rounding_upper_bound(curvatures, products, W, V, b)};
        Matrix scalars(1, 3);
        scalars << objective.value(1, margins.col(1), W.col(1)),
            objective.change(1, margins.col(1), products.col(1), W.col(1), V.col(1), 0.25),
            default_gradient_tolerance(rows);
        found.push_back(scalars);
        Curvature curvature(HessianForm::kPrimal);
        found.emplace_back(Matrix::Constant(1, 1, curvature.spectral_norm_upper_bound(objective)));
        return found;
      };
      const std::vector<Matrix> expected = numbers(all.rows, all.labels);
      for (const std::vector<std::size_t>& cuts : some_cuts(n)) {
        on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
          EXPECT_EQ(numbers(mine.rows, mine.labels), expected) << n << " rows, " << cuts.size() - 1 << " ranks";
        });
      }
    }
  }
}

TEST(SharedTraining, WeightsAreThoseOfOneProcess) {
  for (const std::size_t classes : {2U, 3U}) {
    const LabelledRows all = random_rows(classes, {.rows = 900, .columns = 8, .classes = classes});
    const Matrix b = random_matrix(3, 8, classes);
    for (const Loss& loss : every_loss()) {
      for (const Optimizer optimizer : {Optimizer::kNewton, Optimizer::kLbfgs}) {
        // Without a ridge there is a shift in its place.
        for (const double ridge : {9.0, 0.0}) {
          for (const Matrix* perturbation : {static_cast<const Matrix*>(nullptr), &b}) {
            if (ridge == 0 && perturbation != nullptr) continue;
            const auto weights = [&](const LabelledRows& rows) {
              TrainOptions options;
              options.optimizer = optimizer;
              const Objective objective(rows.rows, rows.labels, classes, loss, ridge, perturbation);
              const Result<TrainedWeights> trained = train(objective, options);
              return trained.ok() ? std::pair(trained->weights, std::string())
                                  : std::pair(Matrix(), trained.error().message);
            };
            const auto expected = weights(all);
            for (const std::vector<std::size_t>& cuts : {even_cuts(900, 2), std::vector<std::size_t>{0, 0, 384, 900}}) {
              on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
                EXPECT_EQ(weights(mine), expected) << loss.describe() << " " << name(optimizer) << " " << ridge;
              });
            }
          }
        }
      }
    }
  }
}

// Rows that one class can be told apart by: without a ridge there is no minimum, and one rank alone may see it.
TEST(SharedTraining, ErrorsAreThoseOfOneProcess) {
  LabelledRows separable = random_rows(1, {.rows = 300, .columns = 3, .classes = 2});
  for (std::size_t i = 0; i < 300; ++i) {
    BlockRow row;
    *row.append(separable.labels[i], 1) = 1;
    separable.rows.set_row(i, row);
  }
  LabelledRows broken = random_rows(1, {.rows = 300, .columns = 3, .classes = 2});
  for (const std::size_t i : {290UL, 140UL}) {
    BlockRow row;
    *row.append(0, 1) = std::numeric_limits<double>::infinity();
    broken.rows.set_row(i, row);
  }
  LabelledRows empty = random_rows(1, {.rows = 300, .columns = 3, .classes = 2});
  for (std::size_t i = 0; i < 300; ++i) empty.rows.set_row(i, {});
  for (const LabelledRows* all : {&separable, &broken, &empty}) {
    const auto error = [](const LabelledRows& rows) {
      const Objective objective(rows.rows, rows.labels, 2, Loss::logistic(), 0);
      const Result<TrainedWeights> trained = train(objective);
      return trained.ok() ? std::string("none") : trained.error().message;
    };
    const std::string expected = error(*all);
    EXPECT_NE(expected, "none");
    on_shares(*all, even_cuts(300, 3), [&](Communicator&, LabelledRows& mine) { EXPECT_EQ(error(mine), expected); });
  }
}

TEST(SharedTraining, DescentsByRowsAreThoseOfOneProcess) {
  const LabelledRows all = random_rows(7, {.rows = 2000, .columns = 30, .classes = 3, .density = 0.3});
  const auto descent = [&](const LabelledRows& rows) {
    const Objective objective(rows.rows, rows.labels, 3, Loss::logistic(), 2);
    const Matrix start = Matrix::Zero(30, 3);
    const auto found = descend_by_rows(objective, start, objective.gradient(start), {0, 1e-6}, 400);
    return found ? found->descent.weights : Matrix();
  };
  const Matrix expected = descent(all);
  ASSERT_NE(expected.size(), 0);
  for (const std::vector<std::size_t>& cuts : some_cuts(2000)) {
    on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) { EXPECT_EQ(descent(mine), expected); });
  }
}

TEST(SharedTraining, EvaluationsFromAnAnchorAreThoseOfOneProcess) {
  for (const std::size_t n : {129U, 1000U, 5000U}) {
    const LabelledRows all = random_rows(n, {.rows = n, .columns = 9, .classes = 3, .density = 1});
    const Matrix anchor = random_matrix(1, 9, 3);
    const Matrix W = anchor + 1e-4 * random_matrix(2, 9, 3);
    const AnchoredProduct product{random_matrix(3, 9, 2), Vector::Constant(2, 1e-9)};
    const std::vector<std::size_t> classes = {0, 2};
    Matrix two(9, 2);
    two << W.col(0), W.col(2);
    const std::size_t changed = n - 100;
    const BlockRow after = testing::random_row(5, 9, 1);
    const auto found = [&](LabelledRows rows) {
      const Objective objective(rows.rows, rows.labels, 3, Loss::logistic(), 0.5);
      EXPECT_TRUE(AnchoredRows::pay(objective));
      AnchoredRows anchored(objective, anchor);
      // One row changes, with whichever rank it is.
      const BlockRow before = all.rows.row(changed);
      const std::optional<std::size_t> place = rows.rows.place_of(changed);
      if (place) rows.rows.set_row(*place, after);
      anchored.replace_row(place, before, after, all.labels[changed], all.labels[changed]);
      const Evaluation evaluation = anchored.evaluate(objective, two, product, classes);
      return std::pair(evaluation.gradient, Matrix(evaluation.rounding));
    };
    const auto expected = found(all);
    for (const std::vector<std::size_t>& cuts : some_cuts(n)) {
      on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
        EXPECT_EQ(found(mine), expected) << n << " rows, " << cuts.size() - 1 << " ranks";
      });
    }
  }
}

// What an evaluation, a product with a Hessian and new inverses send (docs/scale.md).
TEST(SharedTraining, SendsWhatTheModelSays) {
  const std::uint64_t d = 8;
  const std::uint64_t K = 3;
  for (const std::size_t n : {1000U, 5000U}) {
    const LabelledRows all = random_rows(1, {.rows = n, .columns = d, .classes = K});
    for (const std::size_t ranks : {2U, 4U, 8U}) {
      const std::vector<std::size_t> cuts = even_cuts(n, ranks);
      const std::uint64_t up = messages_up({nullptr, 0, cuts, 0, {}});
      std::uint64_t r = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) r += cuts[rank] != cuts[rank + 1] ? 1U : 0U;
      const std::uint64_t R = ranks;
      const std::uint64_t turns = r - 1 + R - 1;
      const Matrix W = random_matrix(1, d, K);
      const auto sent = [&](const std::function<void(const Objective&)>& work) {
        return together(on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
          work(Objective(mine.rows, mine.labels, K, Loss::logistic(), 1));
        }));
      };
      SCOPED_TRACE(::testing::Message() << n << " rows, " << ranks << " ranks");
      // A pass of d K numbers, and two envelopes of 2 K + 3 numbers in turns.
      EXPECT_EQ(sent([&](const Objective& objective) { (void)objective.evaluate(W); }),
                (Traffic{up + R - 1 + turns, (up + R - 1) * 8 * d * K + turns * 8 * 2 * (2 * K + 3)}));
      EXPECT_EQ(sent([&](const Objective& objective) { (void)objective.gradient(W); }),
                (Traffic{up + R - 1, (up + R - 1) * 8 * d * K}));
      // K triangles in turns, and whether all classes have the same curvatures.
      EXPECT_EQ(sent([&](const Objective& objective) {
                  Curvature curvature(HessianForm::kPrimal);
                  EXPECT_TRUE(curvature.build_inverses(objective, objective.curvatures(objective.margins(W))));
                }),
                (Traffic{2 * (R - 1) + K * turns, 2 * (R - 1) * 8 + K * turns * 4 * d * (d + 1)}));
    }
  }
}

}  // namespace
}  // namespace unscatter
