#include "embedding/blocks/drawing.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <complex>
#include <numbers>

#include "dense_graph.h"
#include "unscatter/base/random.h"

namespace unscatter::drawing_test {
namespace {

struct Placed {
  Graph graph;
  Matrix points;
};

// Points in a square, each linked to its nearest ones.
Placed nearest_neighbour_graph(std::uint64_t seed, Eigen::Index nodes, int nearest) {
  Sequence random(seed);
  Matrix points(nodes, 2);
  for (Eigen::Index i = 0; i < nodes; ++i) points.row(i) << random.unit(), random.unit();
  GraphParts parts;
  parts.node_count = static_cast<std::size_t>(nodes);
  for (Eigen::Index i = 0; i < nodes; ++i) {
    std::vector<std::pair<double, Eigen::Index>> others;
    for (Eigen::Index j = 0; j < nodes; ++j) others.emplace_back((points.row(i) - points.row(j)).norm(), j);
    std::sort(others.begin(), others.end());
    for (int k = 1; k <= nearest; ++k) {
      parts.edges.push_back(
          {static_cast<NodeIndex>(i), static_cast<NodeIndex>(others[static_cast<std::size_t>(k)].second)});
    }
  }
  return {Graph::create(std::move(parts)).value(), points};
}

Matrix drawn(Drawing& drawing, const Graph& graph, std::size_t view = 0) {
  GraphShape shape;
  shape.look_at(graph);
  drawing.draw(shape);
  Matrix places(static_cast<Eigen::Index>(shape.nodes()), 2);
  for (Eigen::Index i = 0; i < places.rows(); ++i) {
    const auto [row, column] = drawing.place(static_cast<std::size_t>(i), view);
    places.row(i) << row, column;
  }
  return places;
}

// The share of the variance of `points` that the best turned, mirrored and scaled drawing explains.
double explained(const Matrix& places, const Matrix& points) {
  const Matrix a = places.rowwise() - places.colwise().mean();
  const Matrix b = points.rowwise() - points.colwise().mean();
  const Eigen::JacobiSVD<Matrix> svd(a.transpose() * b);
  const double nuclear = svd.singularValues().sum();
  return nuclear * nuclear / (a.squaredNorm() * b.squaredNorm());
}

TEST(Drawing, ANeighbourGraphKnowsItsMap) {
  Drawing drawing;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Placed placed = nearest_neighbour_graph(seed, 70, 8);
    EXPECT_GT(explained(drawn(drawing, placed.graph), placed.points), 0.9) << seed;
  }
}

// The formulas of docs/embeddings.md once more, with matrices.
TEST(Drawing, IsTheFormula) {
  const auto mix = [](std::uint64_t a) {
    a *= 0x9E3779B97F4A7C15u;
    a ^= a >> 29;
    a *= 0xC2B2AE3D27D4EB4Fu;
    return a ^ (a >> 32);
  };
  constexpr std::uint64_t kP = 0x165667B19E3779F9u;
  Drawing drawing;
  for (const std::uint64_t seed : {4u, 5u}) {
    const Placed placed = nearest_neighbour_graph(seed, 30, 4);
    const testing::DenseGraph dense(placed.graph);
    const Eigen::Index n = dense.n();
    Matrix D = dense.distance;
    double longest = 0;
    for (Eigen::Index k = 0; k < D.size(); ++k) {
      if (std::isfinite(D(k))) longest = std::max(longest, D(k));
    }
    for (Eigen::Index k = 0; k < D.size(); ++k) {
      if (!std::isfinite(D(k))) D(k) = 1.5 * longest;
    }
    const Matrix centre = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
    const Matrix B = -0.5 * centre * D.cwiseProduct(D) * centre;
    std::vector<std::uint64_t> c(static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i) {
      c[static_cast<std::size_t>(i)] = mix(static_cast<std::uint64_t>(dense.degree(i)));
    }
    for (int round = 0; round < 3; ++round) {
      std::vector<std::uint64_t> next = c;
      for (Eigen::Index i = 0; i < n; ++i) {
        std::uint64_t sum = 0;
        for (Eigen::Index j = 0; j < n; ++j) sum += dense.A(i, j) > 0 ? mix(c[static_cast<std::size_t>(j)]) : 0;
        next[static_cast<std::size_t>(i)] = mix(c[static_cast<std::size_t>(i)] * kP + mix(sum));
      }
      c = next;
    }
    Matrix X(n, 2);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (std::uint64_t k = 0; k < 2; ++k) {
        const std::uint64_t hash = mix(mix(mix(c[static_cast<std::size_t>(i)])) * kP + mix(k));
        X(i, static_cast<Eigen::Index>(k)) = static_cast<double>(hash) / std::pow(2.0, 64) - 0.5;
      }
    }
    const auto orthonormal = [](Matrix& M) {
      M.col(0).normalize();
      M.col(1) -= M.col(0).dot(M.col(1)) * M.col(0);
      M.col(1).normalize();
    };
    orthonormal(X);
    for (int step = 0; step < 12; ++step) {
      X = B * X;
      orthonormal(X);
    }
    const Eigen::SelfAdjointEigenSolver<Matrix> small(X.transpose() * B * X);
    X = X * small.eigenvectors() * small.eigenvalues().cwiseMax(1e-9).cwiseSqrt().asDiagonal();
    for (int step = 0; step < 10; ++step) {
      Matrix next = Matrix::Zero(n, 2);
      for (Eigen::Index i = 0; i < n; ++i) {
        double weights = 0;
        for (Eigen::Index j = 0; j < n; ++j) {
          if (j == i) continue;
          const double w = 1 / (D(i, j) * D(i, j));
          const double apart = std::sqrt((X.row(i) - X.row(j)).squaredNorm() + 0.1);
          next.row(i) += w * (X.row(j) + D(i, j) * (X.row(i) - X.row(j)) / apart);
          weights += w;
        }
        next.row(i) /= weights;
      }
      X = next;
    }
    X = (X.rowwise() - X.colwise().mean()).eval();
    X /= std::sqrt(X.squaredNorm() / static_cast<double>(n));
    std::complex<double> fourth = 0;
    for (Eigen::Index i = 0; i < n; ++i) fourth += std::pow(std::complex<double>(X(i, 0), X(i, 1)), 4);
    const std::complex<double> turn = std::polar(1.0, -(std::arg(fourth) - std::numbers::pi) / 4);
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::complex<double> z = 0.408 * turn * std::complex<double>(X(i, 0), X(i, 1));
      X.row(i) << 0.5 + z.real(), 0.5 + z.imag();
    }
    // Eigenvectors have no sign, so the drawing is one of the eight views.
    double best = INFINITY;
    for (std::size_t view = 0; view < Drawing::kViews; ++view) {
      best = std::min(best, (drawn(drawing, placed.graph, view) - X).norm());
    }
    EXPECT_LT(best, 1e-8);
  }
}

// Eight views of the same: turns and mirrors about the middle of the square.
TEST(Drawing, ViewsAreTurnsAndMirrors) {
  Drawing drawing;
  const Placed placed = nearest_neighbour_graph(7, 25, 5);
  const Matrix first = drawn(drawing, placed.graph).array() - 0.5;
  std::vector<Matrix> views;
  for (std::size_t view = 0; view < Drawing::kViews; ++view) {
    const Matrix other = drawn(drawing, placed.graph, view).array() - 0.5;
    EXPECT_LT((other * other.transpose() - first * first.transpose()).norm(), 1e-12);
    for (const Matrix& seen : views) EXPECT_GT((seen - other).norm(), 0.1);
    views.push_back(other);
  }
}

TEST(Drawing, EveryGraphHasAFiniteDrawing) {
  Drawing drawing;
  for (const Graph& graph : testing::graphs_of_all_kinds()) EXPECT_TRUE(drawn(drawing, graph).allFinite());
  // Nothing tells the nodes of a ring apart.
  GraphParts ring;
  ring.node_count = 12;
  for (NodeIndex i = 0; i < 12; ++i) ring.edges.push_back({i, (i + 1) % 12});
  const Matrix places = drawn(drawing, Graph::create(ring).value());
  EXPECT_TRUE(places.allFinite());
  EXPECT_NEAR((places.row(0) - places.row(6)).norm(), 2 * 0.408, 1e-2);
}

}  // namespace
}  // namespace unscatter::drawing_test
