#include "experiment/gin/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/random_graph.h"
#include "unscatter/base/random.h"

namespace unscatter::gin {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr std::size_t kLayers = 2;
constexpr NetworkShape kShape{.channels = 4, .classes = 3, .layers = kLayers, .hidden = 8};

// Directed, so that summing over the wrong end of an edge shows.
Dataset random_directed_graphs(std::size_t count) {
  Dataset dataset;
  dataset.class_names = {"a", "b", "c"};
  for (std::size_t i = 0; i < count; ++i) {
    dataset.graphs.push_back(
        testing::random_graph(i, {.nodes = 6 + i % 5, .edge_probability = 0.3, .directed = true, .attributes = 4}));
    dataset.labels.push_back(static_cast<std::uint32_t>(i % 3));
  }
  return dataset;
}

GraphBatch batch_of(const Dataset& dataset) {
  std::vector<std::size_t> all(dataset.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return make_batch(
      prepare_graphs(dataset, all, FeatureMap::resolve("paper", dataset, FitSource::once()).value()).value(), all);
}

// Weights, eps and averages that are not where they started.
void train_a_little(Network& network, const GraphBatch& batch) {
  for (int i = 0; i < 20; ++i) network.step(batch);
}

// The formulas of network.h, one node after the other, in double precision.
Vector scores_by_hand(const Graph& graph, const NamedMatrices& parameters) {
  const auto w = [&](const std::string& name) -> Matrix { return parameters.at(name).cast<double>(); };
  const auto nodes = static_cast<Eigen::Index>(graph.node_count());
  Matrix h(nodes, 4);
  for (Eigen::Index i = 0; i < nodes; ++i) {
    for (Eigen::Index k = 0; k < 4; ++k)
      h(i, k) = graph.attributes(static_cast<std::size_t>(i))[static_cast<std::size_t>(k)];
  }
  for (std::size_t l = 0; l < kLayers; ++l) {
    const std::string layer = "layer" + std::string(1, static_cast<char>('0' + l)) + ".";
    Matrix next(nodes, 8);
    for (Eigen::Index i = 0; i < nodes; ++i) {
      Vector sum = (1 + w(layer + "eps")(0, 0)) * h.row(i).transpose();
      for (const NodeIndex j : graph.neighbours(static_cast<std::size_t>(i))) sum += h.row(j).transpose();
      const Vector a = (w(layer + "W1") * sum + w(layer + "b1").transpose()).cwiseMax(0);
      const Vector b = (w(layer + "W2") * a + w(layer + "b2").transpose()).cwiseMax(0);
      const Vector deviation = (w(layer + "variance").transpose().array() + 1e-5).sqrt();
      const Vector normal = (b - w(layer + "mean").transpose()).cwiseQuotient(deviation);
      next.row(i) = normal.cwiseProduct(w(layer + "scale").transpose()).transpose() + w(layer + "shift");
    }
    h = next;
  }
  const Vector g = h.colwise().mean().transpose();
  const Vector z = (w("head.V1") * g + w("head.c1").transpose()).cwiseMax(0);
  const Vector s = w("head.V2") * z + w("head.c2").transpose();
  return s.array() - std::log(s.array().exp().sum());
}

TEST(GinNetwork, ForwardPassEqualsTheFormulas) {
  const Dataset dataset = random_directed_graphs(9);
  const GraphBatch batch = batch_of(dataset);
  Network network(kShape, 1e-2, 3);
  train_a_little(network, batch);
  const NamedMatrices parameters = network.parameters();
  ASSERT_NE(parameters.at("layer0.eps")(0, 0), 0);  // learnt, so the next lines look at it

  const FloatMatrix scores = network.log_probabilities(batch);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const Vector expected = scores_by_hand(dataset.graphs[i], parameters);
    const Vector found = scores.row(static_cast<Eigen::Index>(i)).transpose().cast<double>();
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-4) << "graph " << i;
  }
}

TEST(GinNetwork, StartsWithoutEpsAndWithWeightsWithinTheirBounds) {
  const NamedMatrices parameters = Network(kShape, 1e-4, 1).parameters();
  EXPECT_EQ(parameters.at("layer0.eps")(0, 0), 0);
  EXPECT_LE(parameters.at("layer0.W1").cwiseAbs().maxCoeff(), 1 / std::sqrt(4.0F));
  EXPECT_LE(parameters.at("layer1.W1").cwiseAbs().maxCoeff(), 1 / std::sqrt(8.0F));
  EXPECT_GE(parameters.at("layer1.W1").cwiseAbs().maxCoeff(), 0.5F / std::sqrt(8.0F));
}

// Central differences of the loss against the derivatives, for every parameter; in particular through the products with
// sparse matrices, whose derivatives are ours.
TEST(GinNetwork, DerivativesEqualDifferences) {
  const GraphBatch batch = batch_of(random_directed_graphs(6));
  Network network(kShape, 1e-2, 5);
  train_a_little(network, batch);
  const NamedMatrices derivatives = network.gradient(batch);
  constexpr float kStep = 4e-3F;
  for (const auto& [name, derivative] : derivatives) {
    SCOPED_TRACE(name);
    const FloatMatrix at = network.parameters().at(name);
    ASSERT_EQ(at.rows(), derivative.rows());
    ASSERT_EQ(at.cols(), derivative.cols());
    FloatMatrix differences(at.rows(), at.cols());
    for (Eigen::Index e = 0; e < at.size(); ++e) {
      const auto loss_at = [&](float shift) {
        FloatMatrix moved = at;
        moved(e) += shift;
        network.set_parameter(name, moved);
        return network.loss(batch);
      };
      differences(e) = static_cast<float>((loss_at(kStep) - loss_at(-kStep)) / (2 * kStep));
    }
    network.set_parameter(name, at);
    // Rounding of a loss near 1 is 1e-7, a kink of relu inside the step may cost a share of one entry.
    EXPECT_LE((differences - derivative).norm(), 0.05F * derivative.norm() + 2e-3F);
  }
}

TEST(GinNetwork, TheOrderOfNodesDoesNotMatter) {
  Dataset dataset = random_directed_graphs(8);
  const GraphBatch batch = batch_of(dataset);
  Network network(kShape, 1e-2, 7);
  train_a_little(network, batch);
  const FloatMatrix before = network.log_probabilities(batch);

  Sequence random(11);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    GraphParts parts = testing::random_graph_parts(
        i, {.nodes = 6 + i % 5, .edge_probability = 0.3, .directed = true, .attributes = 4});
    std::vector<NodeIndex> place(parts.node_count);
    std::iota(place.begin(), place.end(), NodeIndex{0});
    random.shuffle(std::span(place));
    for (Edge& edge : parts.edges) edge = {place[edge.from], place[edge.to]};
    const std::vector<double> attributes = parts.attributes;
    for (std::size_t v = 0; v < place.size(); ++v) {
      std::copy_n(attributes.begin() + static_cast<std::ptrdiff_t>(4 * v), 4,
                  parts.attributes.begin() + static_cast<std::ptrdiff_t>(4 * place[v]));
    }
    dataset.graphs[i] = Graph::create(std::move(parts)).value();
  }
  EXPECT_LE((network.log_probabilities(batch_of(dataset)) - before).cwiseAbs().maxCoeff(), 1e-5F);
}

TEST(GinNetwork, StepsLowerTheLoss) {
  const GraphBatch batch = batch_of(random_directed_graphs(9));
  Network network(kShape, 1e-2, 9);
  const double before = network.loss(batch);
  for (int i = 0; i < 200; ++i) network.step(batch);
  EXPECT_LT(network.loss(batch), 0.5 * before);
}

}  // namespace
}  // namespace unscatter::gin
