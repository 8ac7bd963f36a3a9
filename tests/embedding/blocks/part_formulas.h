// What the formulas of parts in docs/embeddings.md are made of, written from that page, and the comparison with a part.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "dense_graph.h"
#include "part_columns.h"

namespace unscatter::testing {

inline std::int64_t label_of(const Graph& graph, std::size_t i) {
  return graph.has_labels() && graph.has_features(i) ? graph.label(i) : INT64_MAX;
}

// max(0, 1 - distance in units of the spacing): the same as linear interpolation between two centres.
inline std::vector<double> soft(double value, double low, double high, std::size_t centres) {
  std::vector<double> shares(centres);
  const double place = (std::clamp(value, low, high) - low) / (high - low) * static_cast<double>(centres - 1);
  for (std::size_t k = 0; k < centres; ++k) shares[k] = std::max(0.0, 1 - std::abs(place - static_cast<double>(k)));
  return shares;
}

inline std::vector<double> hel(std::vector<double> h) {
  const double sum = std::accumulate(h.begin(), h.end(), 0.0);
  for (double& value : h) value = sum > 0 ? std::sqrt(value / sum) : 0;
  return h;
}

inline std::vector<double> softened(std::vector<double> h, double softening) {
  double squares = softening;
  for (double& value : h) {
    value = std::log(1 + value);
    squares += value * value;
  }
  for (double& value : h) value /= std::sqrt(squares);
  return h;
}

inline std::vector<double> joint(const std::vector<std::vector<double>>& axes) {
  std::vector<double> all = {1};
  for (const std::vector<double>& axis : axes) {
    std::vector<double> next;
    for (const double a : all) {
      for (const double b : axis) next.push_back(a * b);
    }
    all = std::move(next);
  }
  return all;
}

inline void add(std::vector<double>& to, const std::vector<double>& what, double factor = 1) {
  if (to.empty()) to.assign(what.size(), 0.0);
  for (std::size_t k = 0; k < what.size(); ++k) to[k] += factor * what[k];
}

inline void append(std::vector<double>& to, const std::vector<double>& what, double factor = 1) {
  for (const double value : what) to.push_back(factor * value);
}

using Formula = std::function<std::vector<double>(const Graph&)>;

// On graphs of all kinds, with one shape for all of them.
inline void expect_formula(std::string_view text, const Formula& formula, double tolerance = 1e-12) {
  SCOPED_TRACE(text);
  GraphShape shape;
  std::size_t seen = 0;
  for (const Graph& graph : graphs_of_all_kinds()) {
    const std::vector<double> columns = part_columns(text, graph, shape);
    const std::vector<double> expected = formula(graph);
    ASSERT_EQ(columns.size(), expected.size());
    for (std::size_t k = 0; k < columns.size(); ++k) ASSERT_NEAR(columns[k], expected[k], tolerance) << k;
    EXPECT_LE(squared_norm(columns), 1 + 1e-12);
    if (squared_norm(columns) > 0) ++seen;
  }
  EXPECT_GT(seen, 10u);
}

}  // namespace unscatter::testing
