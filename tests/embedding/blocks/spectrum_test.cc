#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <functional>

#include "part_formulas.h"

namespace unscatter::spectrum_test {
namespace {

using testing::DenseGraph;

std::vector<double> bells(const Vector& values, double low, double high, std::size_t centres) {
  const double apart = (high - low) / static_cast<double>(centres - 1);
  std::vector<double> h(centres, 0.0);
  for (const double value : values) {
    for (std::size_t c = 0; c < centres; ++c) {
      const double away = (std::clamp(value, low, high) - low - static_cast<double>(c) * apart) / (0.8 * apart);
      h[c] += std::exp(-away * away / 2);
    }
  }
  return testing::hel(h);
}

Vector eigenvalues_of(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

// By the decomposition of Eigen.
std::vector<double> by_decomposition(const Graph& graph, std::size_t centres) {
  const DenseGraph dense(graph);
  Matrix laplacian = Matrix::Identity(dense.n(), dense.n());
  for (Eigen::Index i = 0; i < dense.n(); ++i) {
    for (Eigen::Index j = 0; j < dense.n(); ++j) {
      if (dense.A(i, j) > 0) laplacian(i, j) -= 1 / std::sqrt(dense.degree(i) * dense.degree(j));
    }
  }
  const Vector adjacency =
      eigenvalues_of(dense.A).unaryExpr([](double e) { return e < 0 ? -std::log(1 - e) : std::log(1 + e); });
  std::vector<double> expected;
  testing::append(expected, bells(adjacency, -4, 6, centres), std::sqrt(0.5));
  testing::append(expected, bells(eigenvalues_of(laplacian), 0, 2, centres), std::sqrt(0.5));
  return expected;
}

TEST(Spectrum, FollowsItsFormula) {
  for (const std::size_t centres : {41u, 2u, 12u}) {
    testing::expect_formula(
        "spectrum:" + std::to_string(centres), [&](const Graph& graph) { return by_decomposition(graph, centres); },
        1e-11);
  }
}

// n^2 numbers of memory have an end.
TEST(Spectrum, LargeGraphsHaveNone) {
  GraphShape shape;
  GraphParts many;
  many.node_count = 4097;
  const Graph large = Graph::create(std::move(many)).value();
  EXPECT_EQ(testing::squared_norm(testing::part_columns("spectrum", large, shape)), 0);
}

}  // namespace
}  // namespace unscatter::spectrum_test
