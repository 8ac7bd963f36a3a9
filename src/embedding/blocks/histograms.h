// Histograms, and how they become columns of a bounded row.
//
// Symbols of docs/embeddings.md: ln(1 + x) is written l(x); soft(low, high, b) spreads a number over the two of b
// equally spaced centres that it lies between, by linear interpolation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace unscatter {

// ln(1 + 4446) = 8.4: larger degrees share the last centre, as in the feature soft-degree.
inline constexpr double kLargestLog = 8.4;

// Where a number lies between two of `centres` centres on [0, high].  Numbers outside count as the nearer end.
struct Between {
  std::size_t left;
  double right_share;

  Between(double value, double high, std::size_t centres) {
    const double t = std::clamp(value, 0.0, high) / high * static_cast<double>(centres - 1);
    left = std::min(static_cast<std::size_t>(t), centres - 2);
    right_share = std::min(t - static_cast<double>(left), 1.0);
  }
  [[nodiscard]] double share(std::size_t side) const { return side == 0 ? 1 - right_share : right_share; }
};

// Adds 1 to a line of centres, shared by the two around the place.
inline void add_to_line(std::span<double> line, const Between& a) {
  for (const std::size_t i : {0u, 1u}) line[a.left + i] += a.share(i);
}
// Adds 1 to a grid with `columns` columns, shared by the cells around the place.
inline void add_to_grid(std::span<double> grid, const Between& a, const Between& b, std::size_t columns) {
  for (const std::size_t i : {0u, 1u}) {
    for (const std::size_t j : {0u, 1u}) grid[(a.left + i) * columns + b.left + j] += a.share(i) * b.share(j);
  }
}
// The same in three dimensions.  The last index runs fastest and has `depth` values.
inline void add_to_grid(std::span<double> grid, const Between& a, const Between& b, const Between& c,
                        std::size_t columns, std::size_t depth) {
  for (const std::size_t i : {0u, 1u}) {
    for (const std::size_t j : {0u, 1u}) {
      for (const std::size_t k : {0u, 1u}) {
        grid[((a.left + i) * columns + b.left + j) * depth + c.left + k] += a.share(i) * b.share(j) * c.share(k);
      }
    }
  }
}

// A histogram h becomes sign(h) sqrt(|h| / sum |h|) times sqrt(share): norm sqrt(share), or nothing at all.
inline void finish_histogram(std::span<double> part, double share) {
  double sum = 0;
  for (const double value : part) sum += std::abs(value);
  if (!(sum > 0)) return;
  for (double& value : part) value = std::copysign(std::sqrt(std::abs(value) / sum * share), value);
}

// Counts h become v / sqrt(|v|^2 + softening) times sqrt(share), with v = sign(h) ln(1 + |h|): norm below sqrt(share).
// The norm still tells how many there are, as long as |v|^2 is not far above `softening`.
inline void finish_counts(std::span<double> part, double share, double softening) {
  double squares = softening;
  for (double& value : part) {
    value = std::copysign(std::log1p(std::abs(value)), value);
    squares += value * value;
  }
  const double scale = std::sqrt(share / squares);
  for (double& value : part) value *= scale;
}

}  // namespace unscatter
