// L-BFGS, Newton in primal form and Newton in dual form share nothing but the objective: they must agree on its
// minimum.
#include <gtest/gtest.h>

#include <string>

#include "learn/wide_loss.h"
#include "support/data_folder.h"
#include "support/random_rows.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/walk_scattering.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::random_matrix;
using testing::random_rows;

Result<TrainedWeights> train_checked(const Objective& objective, const TrainOptions& options) {
  auto trained = train(objective, options);
  if (!trained.ok()) return trained;
  const double tolerance = options.gradient_tolerance.value_or(default_gradient_tolerance(objective.rows()));
  // The norms that are returned are those of the weights that are returned, recomputed.
  EXPECT_EQ(trained->gradient_norms, Vector(objective.gradient(trained->weights).colwise().norm()));
  EXPECT_LE(trained->gradient_norms.maxCoeff(), tolerance);
  return trained;
}

void expect_agreement(const Objective& objective, double tolerance) {
  const auto primal = train_checked(objective, TrainOptions{.form = HessianForm::kPrimal});
  const auto dual = train_checked(objective, TrainOptions{.form = HessianForm::kDual});
  const auto lbfgs = train_checked(objective, TrainOptions{.optimizer = Optimizer::kLbfgs});
  ASSERT_TRUE(primal.ok()) << primal.error().message;
  ASSERT_TRUE(dual.ok()) << dual.error().message;
  ASSERT_TRUE(lbfgs.ok()) << lbfgs.error().message;
  const double unit = tolerance * std::max(1.0, primal->weights.norm());
  EXPECT_LE((primal->weights - dual->weights).norm(), unit);
  EXPECT_LE((primal->weights - lbfgs->weights).norm(), unit);
}

TEST(Lbfgs, AgreesWithNewtonInBothFormsOnRandomProblems) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Sequence random(seed);
    const std::size_t d = 1 + random.below(40);
    const std::size_t n = 1 + random.below(60);
    const std::size_t K = 1 + random.below(10);
    const double ridges[] = {1e-3, 0.03, 1.0, 1000.0};
    const double ridge = ridges[random.below(4)];
    const auto losses = testing::all_losses();
    const Loss& loss = losses[seed % losses.size()];
    const LabelledRows data =
        random_rows(seed, {.rows = n, .columns = d, .classes = K, .density = 0.2 + 0.8 * random.unit(), .row_norm = 2});
    const Matrix B = random_matrix(seed, d, K);
    const bool perturbed = random.chance(0.5);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << n << " x " << d << ", K " << K << ", "
                                      << loss.describe() << ", ridge " << ridge << (perturbed ? ", perturbed" : ""));
    expect_agreement(Objective(data.rows, data.labels, K, loss, ridge, perturbed ? &B : nullptr), 1e-8);
  }
}

// Where the values stop telling points apart, at a gradient of sqrt(u L ridge) = 1e-8 or so, the search has to go on.
TEST(Lbfgs, ReachesGradientsFarBelowTheRootOfTheRoundoff) {
  const LabelledRows data = random_rows(3, {.rows = 200, .columns = 30, .classes = 2, .row_norm = 2});
  const Objective objective(data.rows, data.labels, 2, Loss::logistic(), 0.02);
  const auto trained =
      train_checked(objective, TrainOptions{.optimizer = Optimizer::kLbfgs, .gradient_tolerance = 2e-12});
  EXPECT_TRUE(trained.ok()) << trained.error().message;
}

// Ridge so small that it is a curvature of 1e-8 beside one of 50.
TEST(Lbfgs, AgreesWithNewtonWithATinyRidge) {
  const LabelledRows data = random_rows(9, {.rows = 120, .columns = 10, .classes = 3, .density = 1, .row_norm = 1});
  for (const Loss& loss : {Loss::logistic(), Loss::squared()}) {
    SCOPED_TRACE(loss.describe());
    expect_agreement(Objective(data.rows, data.labels, 3, loss, 1e-8), 1e-8);
  }
}

// The paper's setting on real data: a random tenth of the graphs, rows of the paper's public code.
void expect_agreement_on(const std::string& name, std::size_t scales, std::size_t moments, std::size_t layers,
                         double regularisation, double smallest_accuracy) {
  UNSCATTER_REQUIRE_DATA(folder);
  const Dataset whole = read_dataset(folder / name / (name + ".zip")).value();
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::resolve("paper", whole, FitSource::once()).value(),
                    make_walk_scattering(WalkOperator::kRow, scales, {.layers = layers, .moments = moments}).value()});
  const Embedder embedder(std::move(blocks));
  const Split split = random_split(whole.size(), {}, 1).value();
  const auto choose = [&](const std::vector<std::size_t>& indices, SparseBlockRows& rows,
                          std::vector<std::uint32_t>& labels) {
    for (const std::size_t i : indices) {
      rows.append_row(embedder.embed(whole.graphs[i]).value());
      labels.push_back(whole.labels[i]);
    }
  };
  SparseBlockRows rows(0, embedder.width());
  std::vector<std::uint32_t> labels;
  choose(split.train, rows, labels);
  const Objective objective(rows, labels, whole.class_names.size(), Loss::logistic(),
                            regularisation * static_cast<double>(rows.rows()));

  const auto lbfgs = train_checked(objective, TrainOptions{.optimizer = Optimizer::kLbfgs});
  ASSERT_TRUE(lbfgs.ok()) << lbfgs.error().message;
  const auto dual = train_checked(objective, TrainOptions{.form = HessianForm::kDual});
  ASSERT_TRUE(dual.ok()) << dual.error().message;
  EXPECT_LE((dual->weights - lbfgs->weights).norm(), 1e-8 * std::max(1.0, dual->weights.norm()));
  if (embedder.width() <= 1000) {  // a d x d factor of the others takes minutes
    const auto primal = train_checked(objective, TrainOptions{.form = HessianForm::kPrimal});
    ASSERT_TRUE(primal.ok()) << primal.error().message;
    EXPECT_LE((dual->weights - primal->weights).norm(), 1e-8 * std::max(1.0, dual->weights.norm()));
  }
  SparseBlockRows test_rows(0, embedder.width());
  std::vector<std::uint32_t> test_labels;
  choose(split.test, test_rows, test_labels);
  EXPECT_GE(accuracy(test_rows, test_labels, dual->weights), smallest_accuracy);  // chance is 0.5 and 0.6
}

TEST(Lbfgs, AgreesWithNewtonOnImdbBinary) { expect_agreement_on("IMDB-BINARY", 4, 3, 3, 1e-3, 0.6); }

// A smaller tree, narrow enough for the primal form: all three.
TEST(Lbfgs, AgreesWithBothFormsOfNewtonOnImdbBinary) { expect_agreement_on("IMDB-BINARY", 2, 2, 2, 1e-3, 0.6); }

TEST(Lbfgs, AgreesWithBothFormsOfNewtonOnProteins) { expect_agreement_on("PROTEINS", 5, 4, 3, 1e-4, 0.65); }

}  // namespace
}  // namespace unscatter
