// Planted faults: each check of the suite is fed a wrong implementation, and must notice.
//
// What passing shows: these mistakes would be caught.  What it does not show: that no other mistake is possible.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "learn/curvature.h"
#include "linalg/norms.h"
#include "linalg/row_products.h"
#include "support/random_graph.h"
#include "unlearn/charge.h"
#include "unlearn/random_session.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::random_data;
using testing::RandomData;

// One Newton update by hand, with a gradient change that the caller may spoil; says whether the bounds that ought to
// hold do.
struct Verdict {
  bool chain_holds = true;    // exact <= tight <= data <= worst for every class
  double largest_excess = 0;  // of exact over tight
};

enum class Fault { kNone, kWrongSign, kForgottenRidge, kShortNorm, kOldLabel };

Verdict one_update(std::uint64_t seed, Fault fault) {
  const RandomData data = random_data(seed, {.graphs = 25, .classes = 3, .attributes = 2});
  SparseBlockRows rows = data.embedder->embed(data.dataset).value();
  const std::vector<std::uint32_t>& labels = data.dataset.labels;
  SessionOptions options;
  options.regularisation = 1e-3;
  // Without a Taylor remainder nothing can hide behind it.
  if (fault == Fault::kForgottenRidge) options.loss = Loss::squared();
  const auto n = static_cast<double>(data.dataset.size());
  const Objective before(rows, labels, 3, options.loss, options.regularisation * n);
  const TrainedWeights trained = train(before).value();

  // Graph 0 loses a node, graph 1 goes whole.
  const Graph edited = *apply(data.dataset.graphs[0], RemoveNode{1}).value();
  std::vector<RowChange> changes(2);
  changes[0] = {0, rows.row(0), data.embedder->embed(edited).value(), ChangeKind::kStructure};
  changes[1] = {1, rows.row(1), {}, ChangeKind::kRemoved};
  GradientChange change = gradient_change(changes, labels, options.loss, options.regularisation, trained.weights);
  if (fault == Fault::kWrongSign) change.columns = -change.columns;
  if (fault == Fault::kForgottenRidge) change.columns -= options.regularisation * trained.weights;
  for (const RowChange& row : changes) rows.set_row(row.row, row.after);

  const std::size_t left = data.dataset.size() - 1;
  const Objective after(rows, labels, 3, options.loss, options.regularisation * static_cast<double>(left));
  Curvature curvature(HessianForm::kDual);
  NewtonStep step;
  step.curvatures = after.curvatures(after.margins(trained.weights));
  step.steps = curvature.solve(after, step.curvatures, change.columns).value();
  step.products = product(rows, step.steps);
  double spectral = curvature.spectral_norm_upper_bound(after);
  if (fault == Fault::kShortNorm) spectral *= 1e-3;
  const ClassBounds bounds = charge_newton_step(after, changes, trained.weights, change, step, trained.gradient_norms,
                                                left, spectral, options);

  Verdict verdict;
  const Matrix weights = trained.weights + step.steps;
  const Matrix margins = after.margins(weights);
  const Vector exact = after.gradient(margins, weights).colwise().norm().transpose() +
                       after.gradient_rounding_upper_bound(margins, weights);
  for (Eigen::Index k = 0; k < 3; ++k) {
    if (!(exact(k) <= bounds.tight(k) && bounds.tight(k) <= bounds.data(k) && bounds.data(k) <= bounds.worst(k))) {
      verdict.chain_holds = false;
    }
    verdict.largest_excess = std::max(verdict.largest_excess, exact(k) - bounds.tight(k));
  }
  return verdict;
}

// The same for an update that adds a graph and corrects the class of another one.
bool living_update_holds(std::uint64_t seed, Fault fault) {
  const RandomData data = random_data(seed, {.graphs = 25, .classes = 3, .attributes = 2});
  SparseBlockRows rows = data.embedder->embed(data.dataset).value();
  std::vector<std::uint32_t> labels = data.dataset.labels;
  SessionOptions options;
  options.regularisation = 1e-3;
  options.loss = Loss::squared();  // without a Taylor remainder nothing can hide behind it
  BlockRow added;
  rows.swap_row(24, added);
  const Objective before(rows, labels, 3, options.loss, options.regularisation * 24);
  const TrainedWeights trained = train(before).value();

  const std::uint32_t corrected = (labels[3] + 1) % 3;
  std::vector<RowChange> changes(2);
  changes[0] = {3, rows.row(3), rows.row(3), ChangeKind::kStructure, corrected, labels[3]};
  if (fault == Fault::kOldLabel) changes[0].label_before = corrected;
  changes[1] = {24, {}, added, ChangeKind::kAdded, labels[24], labels[24]};
  GradientChange change = gradient_change(changes, labels, options.loss, options.regularisation, trained.weights);
  if (fault == Fault::kForgottenRidge) change.columns += options.regularisation * trained.weights;
  labels[3] = corrected;
  rows.set_row(24, added);

  const Objective after(rows, labels, 3, options.loss, options.regularisation * 25);
  Curvature curvature(HessianForm::kDual);
  NewtonStep step;
  step.curvatures = after.curvatures(after.margins(trained.weights));
  step.steps = curvature.solve(after, step.curvatures, change.columns).value();
  step.products = product(rows, step.steps);
  const ClassBounds bounds = charge_newton_step(after, changes, trained.weights, change, step, trained.gradient_norms,
                                                25, curvature.spectral_norm_upper_bound(after), options);
  const Matrix weights = trained.weights + step.steps;
  const Vector exact = after.gradient(weights).colwise().norm().transpose();
  for (Eigen::Index k = 0; k < 3; ++k) {
    if (!(exact(k) <= bounds.tight(k) && bounds.tight(k) <= bounds.data(k))) return false;
  }
  return true;
}

TEST(PlantedFault, AnAdditionOrCorrectionWithAWrongGradientChangeIsCaught) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(living_update_holds(seed, Fault::kNone)) << seed;
    EXPECT_FALSE(living_update_holds(seed, Fault::kForgottenRidge)) << seed;
    EXPECT_FALSE(living_update_holds(seed, Fault::kOldLabel)) << seed;
  }
}

TEST(PlantedFault, TheUpdateWithoutAFaultPasses) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) EXPECT_TRUE(one_update(seed, Fault::kNone).chain_holds) << seed;
}

TEST(PlantedFault, AWrongSignInTheGradientChangeIsCaught) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Verdict verdict = one_update(seed, Fault::kWrongSign);
    EXPECT_FALSE(verdict.chain_holds) << seed;
    EXPECT_GT(verdict.largest_excess, 1e-3) << seed;
  }
}

TEST(PlantedFault, ForgettingTheRidgeOfARemovedGraphIsCaught) {
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    EXPECT_FALSE(one_update(seed, Fault::kForgottenRidge).chain_holds) << seed;
}

TEST(PlantedFault, ANormFarTooSmallIsCaught) {
  int caught = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) caught += one_update(seed, Fault::kShortNorm).chain_holds ? 0 : 1;
  EXPECT_GE(caught, 25);
}

// Power iteration, as both public programs use it: from below.  The check that |Z| is an upper bound catches it.
double norm_by_power_iteration(const SparseBlockRows& Z, int steps) {
  Vector x = Vector::Ones(static_cast<Eigen::Index>(Z.columns())).normalized();
  double estimate = 0;
  for (int s = 0; s < steps; ++s) {
    const Vector y = product(Z, x);
    estimate = y.norm() / x.norm();
    x = transposed_product(Z, y);
    x /= x.norm();
  }
  return estimate;
}

TEST(PlantedFault, APowerIterationNormIsCaught) {
  int caught = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomData data = random_data(seed, {.graphs = 25, .attributes = 3});
    const SparseBlockRows Z = data.embedder->embed(data.dataset).value();
    const double certified = spectral_norm_upper_bound_from_gram(gram(Z), Z.columns());
    // Any vector's image is a lower bound on the norm: a long iteration gives a good one.
    const double below = norm_by_power_iteration(Z, 500);
    EXPECT_GE(certified, below) << seed;
    EXPECT_LE(certified, 1.01 * below) << seed;
    caught += norm_by_power_iteration(Z, 3) < below ? 1 : 0;
  }
  EXPECT_GE(caught, 25);
}

// A stale degree: the node goes, and its neighbours' degrees stay as they were, as in the paper's program.
TEST(PlantedFault, AStaleDegreeFeatureIsCaught) {
  int caught = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    // Degrees that the graph carries along as labels, against degrees taken from the graph as it is.
    testing::RandomGraphOptions shape;
    shape.nodes = 9;
    shape.edge_probability = 0.4;
    const GraphParts parts = testing::random_graph_parts(seed, shape);
    const auto with_degree_labels = [](GraphParts p) {
      p.labels.assign(p.node_count, 0);
      const Graph plain = Graph::create(p).value();
      for (std::size_t i = 0; i < p.node_count; ++i) p.labels[i] = static_cast<std::int64_t>(plain.degree(i));
      return Graph::create(std::move(p)).value();
    };
    const Graph carried = with_degree_labels(parts);
    const Graph stale = *apply(carried, RemoveNode{0}).value();
    const Graph fresh = with_degree_labels(testing::parts_without_node(parts, 0));
    Dataset both;
    both.graphs = {carried, fresh};
    std::vector<EmbeddingBlock> blocks;
    blocks.push_back({FeatureMap::resolve("labels", both, FitSource::once()).value(), make_transform({}).value()});
    const Embedder embedder(std::move(blocks));
    // "update equals a fresh run", the check of Session.EmbeddingsAreThoseOfASessionBuiltWithoutTheRemoved.
    if (carried.degree(0) == 0) continue;
    EXPECT_NE(embedder.embed(stale).value(), embedder.embed(fresh).value());
    ++caught;
  }
  EXPECT_GE(caught, 15);
}

// A session that fails to take the removed row out of its sum is not at the optimum of what is left, and the distance
// check sees it: the certificate of a session that forgot nothing does not cover the way to the retrained model.
TEST(PlantedFault, AnUpdateThatDoesNothingIsCaught) {
  int caught = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomData data = random_data(seed, {.graphs = 20, .attributes = 2});
    Session session = Session::create(data.dataset, data.embedder, {}).value();
    const Matrix untouched = session.weights();
    const Certificate certificate = session.forget(ForgetNode{0u, 0u}).value();
    const testing::Retrained fresh = testing::retrained(session, *data.embedder);
    const double allowed = certificate.distance_upper_bound + fresh.distance;
    EXPECT_LE((session.weights() - fresh.weights).norm(), allowed) << seed;
    caught += (untouched - fresh.weights).norm() > allowed ? 1 : 0;
  }
  EXPECT_EQ(caught, 20);
}

}  // namespace
}  // namespace unscatter
