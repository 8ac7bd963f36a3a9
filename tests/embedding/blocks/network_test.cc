#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include "part_formulas.h"
#include "public_hash.h"

namespace unscatter::network_test {
namespace {

using testing::DenseGraph;

double weight(std::initializer_list<std::uint64_t> numbers) {
  return 2 * std::ldexp(static_cast<double>(testing::hash_of(numbers)), -64) - 1;
}

Matrix bounded(const Matrix& X) {
  return X.unaryExpr([](double x) { return x / std::sqrt(1 + x * x); });
}

// Rows of `h` are nodes; the layers as products of dense matrices.
Matrix first_state(const Graph& graph, const DenseGraph& dense, std::uint64_t width, std::uint64_t seed) {
  Matrix h(dense.n(), static_cast<Eigen::Index>(width));
  for (Eigen::Index i = 0; i < dense.n(); ++i) {
    const double d = dense.degree(i);
    const double closed = dense.triangles(i) / std::max(d * (d - 1) / 2, 1.0);
    const std::size_t node = dense.original[static_cast<std::size_t>(i)];
    for (std::uint64_t k = 0; k < width; ++k) {
      double x = weight({seed, 0, k, 0}) + weight({seed, 0, k, 1}) * std::log(1 + d) + weight({seed, 0, k, 2}) * closed;
      if (graph.has_labels() && graph.has_features(node)) {
        x += weight({seed, static_cast<std::uint64_t>(graph.label(node)), k});
      }
      h(i, static_cast<Eigen::Index>(k)) = x;
    }
  }
  return bounded(h);
}

Matrix next_state(const DenseGraph& dense, const Matrix& h, std::uint64_t layer, std::uint64_t seed) {
  const Eigen::Index D = h.cols();
  Matrix a = Matrix::Zero(dense.n(), 4 * D);
  for (Eigen::Index i = 0; i < dense.n(); ++i) {
    a.row(i).head(D) = h.row(i);
    if (dense.degree(i) == 0) continue;
    const Matrix sum = dense.A.row(i) * h;
    a.row(i).segment(D, D) = sum / dense.degree(i);
    for (Eigen::Index k = 0; k < D; ++k) {
      double greatest = -INFINITY;
      for (Eigen::Index j = 0; j < dense.n(); ++j) {
        if (dense.A(i, j) > 0) greatest = std::max(greatest, h(j, k));
      }
      a(i, 2 * D + k) = greatest;
      a(i, 3 * D + k) = sum(0, k) < 0 ? -std::log(1 - sum(0, k)) : std::log(1 + sum(0, k));
    }
  }
  Matrix W(4 * D, D);
  for (Eigen::Index c = 0; c < 4 * D; ++c) {
    for (Eigen::Index k = 0; k < D; ++k) {
      W(c, k) = weight({seed, layer, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(c)});
    }
  }
  return bounded(std::sqrt(3.0 / static_cast<double>(D)) * a * W);
}

std::vector<double> by_matrices(const Graph& graph, std::uint64_t width, std::uint64_t layers, std::uint64_t seed) {
  const DenseGraph dense(graph);
  Matrix h = first_state(graph, dense, width, seed);
  std::vector<double> expected;
  const double scale = 1 / std::sqrt(2 * static_cast<double>(width * (layers + 1)));
  for (std::uint64_t r = 0; r <= layers; ++r) {
    if (r > 0) h = next_state(dense, h, r, seed);
    const Vector mean = h.colwise().mean();
    const Vector greatest = h.colwise().maxCoeff();
    testing::append(expected, {mean.data(), mean.data() + mean.size()}, scale);
    testing::append(expected, {greatest.data(), greatest.data() + greatest.size()}, scale);
  }
  return expected;
}

TEST(Network, FollowsItsFormula) {
  for (const auto& [text, width, layers, seed] :
       {std::tuple("network", 32u, 3u, 1u), std::tuple("network:1:0", 1u, 0u, 1u),
        std::tuple("network:5:2:77", 5u, 2u, 77u), std::tuple("network:16:8:0", 16u, 8u, 0u)}) {
    const std::uint64_t d = width;
    const std::uint64_t l = layers;
    const std::uint64_t s = seed;
    testing::expect_formula(
        text, [d, l, s](const Graph& graph) { return by_matrices(graph, d, l, s); }, 1e-10);
  }
}

// The weights come from the seed alone.
TEST(Network, AnotherSeedIsAnotherNetwork) {
  const Graph graph = testing::graphs_of_all_kinds().at(3);
  GraphShape shape;
  const std::vector<double> one = testing::part_columns("network:16:2:1", graph, shape);
  EXPECT_EQ(one, testing::part_columns("network:16:2:1", graph, shape));
  const std::vector<double> two = testing::part_columns("network:16:2:2", graph, shape);
  double apart = 0;
  for (std::size_t k = 0; k < one.size(); ++k) apart += (one[k] - two[k]) * (one[k] - two[k]);
  EXPECT_GT(std::sqrt(apart), 0.1);
}

}  // namespace
}  // namespace unscatter::network_test
