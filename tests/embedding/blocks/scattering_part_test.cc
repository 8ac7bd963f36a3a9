#include "embedding/blocks/part.h"

#include <gtest/gtest.h>

#include "part_formulas.h"

namespace unscatter::scattering_test {
namespace {

using testing::DenseGraph;

// The wavelets as dense matrices.
std::vector<Matrix> wavelets(const DenseGraph& dense, std::size_t scales) {
  const Eigen::Index n = dense.n();
  Matrix T = Matrix::Identity(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (dense.degree(i) > 0) T.row(i) = T.row(i) / 2 + dense.A.row(i) / (2 * dense.degree(i));
  }
  std::vector<Matrix> found = {Matrix::Identity(n, n) - T};
  Matrix power = T;
  for (std::size_t j = 1; j < scales; ++j) {
    const Matrix further = j == 1 ? Matrix(T * T) : Matrix(power * power);
    found.emplace_back(power - further);
    power = further;
  }
  return found;
}

void append_signal(std::vector<double>& expected, const Vector& s, std::size_t centres, double share) {
  const auto n = static_cast<double>(s.size());
  for (const int q : {1, 2, 4}) {
    const double moment = s.array().pow(q).sum() / n;
    expected.push_back(std::pow(moment, 1.0 / q) * std::sqrt(share / 6));
  }
  std::vector<double> h;
  for (const double value : s) testing::add(h, testing::soft(std::log(1 + 20 * value), 0, std::log(21), centres));
  testing::append(expected, testing::hel(h), std::sqrt(share / 2));
}

std::vector<double> by_matrices(const Graph& graph, std::size_t scales, std::size_t centres, std::size_t labels) {
  const DenseGraph dense(graph);
  const std::vector<Matrix> W = wavelets(dense, scales);
  const std::size_t signals = 1 + scales + scales * (scales - 1) / 2;
  const double share = 1 / static_cast<double>((2 + labels) * signals);
  std::vector<double> expected;
  for (std::size_t input = 0; input < 2 + labels; ++input) {
    if (input >= 2 && !graph.has_labels()) {
      expected.insert(expected.end(), signals * (3 + centres), 0.0);
      continue;
    }
    Vector f = Vector::Zero(dense.n());
    for (Eigen::Index i = 0; i < dense.n(); ++i) {
      const double d = dense.degree(i);
      const std::size_t node = dense.original[static_cast<std::size_t>(i)];
      if (input == 0) f(i) = std::log(1 + d) / 8.4;
      if (input == 1) f(i) = dense.triangles(i) / std::max(d * (d - 1) / 2, 1.0);
      if (input >= 2 && graph.has_features(node) && static_cast<std::size_t>(graph.label(node)) % labels == input - 2) {
        f(i) = 1;
      }
    }
    append_signal(expected, f, centres, share);
    for (std::size_t j = 0; j < scales; ++j) {
      const Vector band = (W[j] * f).cwiseAbs();
      append_signal(expected, band, centres, share);
      for (std::size_t k = j + 1; k < scales; ++k) {
        append_signal(expected, (W[k] * band).cwiseAbs(), centres, share);
      }
    }
  }
  return expected;
}

TEST(ScatteringPart, FollowsItsFormula) {
  for (const auto& [text, scales, centres, labels] :
       {std::tuple("scattering", 4u, 8u, 4u), std::tuple("scattering:1:2:0", 1u, 2u, 0u),
        std::tuple("scattering:6:5:3", 6u, 5u, 3u), std::tuple("scattering:2:8:1", 2u, 8u, 1u)}) {
    const std::size_t j = scales;
    const std::size_t b = centres;
    const std::size_t l = labels;
    testing::expect_formula(
        text, [j, b, l](const Graph& graph) { return by_matrices(graph, j, b, l); }, 1e-6);
  }
}

// A lazy step leaves a constant what it is, exactly: where all nodes are alike no band has anything in it.
TEST(ScatteringPart, NodesThatAreAlikeHaveEmptyBands) {
  GraphParts clique;
  clique.node_count = 7;
  for (NodeIndex i = 0; i < 7; ++i) {
    for (NodeIndex j = 0; j < i; ++j) clique.edges.push_back({i, j});
  }
  GraphShape shape;
  const std::vector<double> columns =
      testing::part_columns("scattering:4:3:0", Graph::create(std::move(clique)).value(), shape);
  constexpr std::size_t kPerSignal = 6;
  constexpr std::size_t kSignals = 11;
  ASSERT_EQ(columns.size(), 2 * kSignals * kPerSignal);
  for (std::size_t signal = 0; signal < 2 * kSignals; ++signal) {
    if (signal % kSignals == 0) continue;
    for (std::size_t q = 0; q < 3; ++q) EXPECT_EQ(columns[signal * kPerSignal + q], 0) << signal;
    EXPECT_GT(columns[signal * kPerSignal + 3], 0) << signal;
    EXPECT_EQ(columns[signal * kPerSignal + 4], 0) << signal;
  }
}

}  // namespace
}  // namespace unscatter::scattering_test
