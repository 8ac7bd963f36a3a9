// Graphs for the tests of parts, and all that a part may know about one, computed by plain dense code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/random_graph.h"
#include "unscatter/graph/graph.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/linalg/dense.h"

namespace unscatter::testing {

// Living nodes only, edges without directions.  Written apart from the library.
struct DenseGraph {
  std::vector<std::size_t> original;  // by node here
  // NOLINTNEXTLINE(readability-identifier-naming): the symbol of docs/notation.md
  Matrix A;         // 0 or 1
  Matrix distance;  // by Floyd and Warshall; infinite if there is no path

  explicit DenseGraph(const Graph& graph) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      if (graph.state(i) != NodeState::kTombstone) original.push_back(i);
    }
    const auto n = static_cast<Eigen::Index>(original.size());
    A = Matrix::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const std::size_t a = original[static_cast<std::size_t>(i)];
        const std::size_t b = original[static_cast<std::size_t>(j)];
        if (graph.has_edge(a, b) || graph.has_edge(b, a)) A(i, j) = 1;
      }
    }
    distance = distances(A);
  }

  [[nodiscard]] Eigen::Index n() const { return A.rows(); }
  [[nodiscard]] double degree(Eigen::Index i) const { return A.row(i).sum(); }
  [[nodiscard]] double edges() const { return A.sum() / 2; }
  // Of (A^3)_ii / 2.
  [[nodiscard]] double triangles(Eigen::Index i) const { return (A * A * A)(i, i) / 2; }
  [[nodiscard]] double mean_over_neighbours(Eigen::Index i, const Vector& values) const {
    return degree(i) == 0 ? 0 : A.row(i).dot(values) / degree(i);
  }
  [[nodiscard]] Vector degrees() const { return A.rowwise().sum(); }
  // The largest k such that the node stays while nodes with fewer than k neighbours go.
  [[nodiscard]] std::uint64_t core(Eigen::Index node) const {
    for (std::uint64_t k = 1;; ++k) {
      Matrix left = A;
      std::vector<bool> there(static_cast<std::size_t>(n()), true);
      for (bool changed = true; changed;) {
        changed = false;
        for (Eigen::Index i = 0; i < n(); ++i) {
          if (!there[static_cast<std::size_t>(i)] || left.row(i).sum() >= static_cast<double>(k)) continue;
          there[static_cast<std::size_t>(i)] = false;
          left.row(i).setZero();
          left.col(i).setZero();
          changed = true;
        }
      }
      if (!there[static_cast<std::size_t>(node)]) return k - 1;
    }
  }
  // 1 + the distance of the ends without the edge; 0 above 8.
  [[nodiscard]] std::uint64_t cycle(Eigen::Index i, Eigen::Index j) const {
    Vector reached = Vector::Zero(n());
    reached(i) = 1;
    for (std::uint64_t steps = 1; steps < 8; ++steps) {
      Vector next = reached + A * reached;
      // The edge itself is no way.
      next(j) -= A(i, j) * reached(i);
      reached = next.cwiseMin(1);
      if (reached(j) > 0) return steps + 1;
    }
    return 0;
  }

  static Matrix distances(const Matrix& adjacency) {
    const Eigen::Index size = adjacency.rows();
    Matrix found = Matrix::Constant(size, size, INFINITY);
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index j = 0; j < size; ++j) {
        if (adjacency(i, j) > 0) found(i, j) = 1;
      }
      found(i, i) = 0;
    }
    for (Eigen::Index k = 0; k < size; ++k) {
      for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index j = 0; j < size; ++j) found(i, j) = std::min(found(i, j), found(i, k) + found(k, j));
      }
    }
    return found;
  }
};

// All that graphs can be: sparse and dense, with and without directions, weights, labels, attributes and positions; one
// node; no edge; removed features; tombstones.
inline std::vector<Graph> graphs_of_all_kinds(std::size_t attributes = 2) {
  std::vector<Graph> graphs;
  for (const bool directed : {false, true}) {
    for (const double density : {0.0, 0.08, 0.3, 1.0}) {
      RandomGraphOptions options = kWeightedGraph;
      options.directed = directed;
      options.edge_probability = density;
      options.attributes = attributes;
      options.label_values = 4;
      for (const std::size_t nodes : {1u, 2u, 15u, 23u}) {
        options.nodes = nodes;
        graphs.push_back(random_graph(100 + nodes, options));
        if (nodes < 15) continue;
        const Graph marked = *apply(graphs.back(), RemoveNode{3, NodeRemoval::kTombstone}).value();
        const Graph poorer = *apply(marked, RemoveFeatures{5}).value();
        graphs.push_back(*apply(poorer, RemoveNode{0, NodeRemoval::kTombstone}).value());
      }
      graphs.push_back(random_graph(7, {.nodes = 12, .edge_probability = density, .directed = directed}));
    }
  }
  return graphs;
}

}  // namespace unscatter::testing
