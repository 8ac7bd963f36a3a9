#include "embedding/wavelets/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "embedding/wavelets/spectrum_grid.h"

namespace unscatter {
namespace {

// c_k = 2/M sum_i h(1 + cos theta_i) cos(k theta_i) at theta_i = (i + 1/2) pi / M, halved for k = 0.
std::vector<double> coefficients_of(const SpectralKernel& kernel, std::size_t degree) {
  // Quadrature folds the coefficients beyond the last point back onto the first ones (aliasing).  Four points per
  // coefficient keep that well below what the truncation leaves out anyway.
  const std::size_t points = std::max<std::size_t>(1024, 4 * (degree + 1));
  std::vector<double> c(degree + 1, 0.0);
  for (std::size_t i = 0; i < points; ++i) {
    const double theta = std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    const double weight = 2.0 / static_cast<double>(points) * kernel.value(1.0 + std::cos(theta));
    for (std::size_t k = 0; k <= degree; ++k) c[k] += weight * std::cos(static_cast<double>(k) * theta);
  }
  c[0] *= 0.5;
  return c;
}

// The largest |h - p|.  In the angle, |d/dtheta p| = |sum_k k c_k sin(k theta)| <= sum_k k |c_k|.  This is much smaller
// than the k^2 of Markov's inequality in lambda, which is why the samples are uniform in the angle.
SampledBound error_of(const SpectralKernel& kernel, std::span<const double> c) {
  double rate = 0;
  double size = 0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    rate += static_cast<double>(k) * std::abs(c[k]);
    size += std::abs(c[k]);
  }
  const double lipschitz = kernel.lipschitz.value_or(0);
  const double polynomial_variation = kernel.lipschitz ? rate * kGridAngle : 0;
  double largest = 0;
  double last_lambda = 0;
  double last_error = kernel.value(0.0) - evaluate(c, 0.0);
  for (std::size_t i = 1; i <= kGridIntervals; ++i) {
    const double lambda = grid_lambda(i);
    const double error = kernel.value(lambda) - evaluate(c, lambda);
    if (kernel.lipschitz) {
      const double variation = lipschitz * (lambda - last_lambda) + polynomial_variation;
      largest = std::max(largest, peak_between(last_error, error, variation));
    } else {
      largest = std::max({largest, std::abs(last_error), std::abs(error)});
    }
    last_lambda = lambda;
    last_error = error;
  }
  // The last term covers the rounding of the samples, of the coefficients and of the filter's own recurrence.  A
  // rounding error in T_k is carried on by U_n(t), which is at most n + 1 in size.  So d errors amount to at most d^2
  // units.
  const auto terms = static_cast<double>(c.size() + 10);
  const double rounding = 1e-15 * terms * terms * (1 + size);
  return {.value = largest + rounding, .proven = kernel.lipschitz.has_value()};
}

}  // namespace

double evaluate(std::span<const double> coefficients, double lambda) {
  const double t = lambda - 1.0;
  double b1 = 0;
  double b2 = 0;
  // Clenshaw's recurrence runs from the highest coefficient down.  It is stable on the whole interval.
  for (std::size_t k = coefficients.size(); k-- > 1;) {
    const double b = coefficients[k] + 2.0 * t * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return coefficients[0] + t * b1 - b2;
}

ChebyshevSeries chebyshev_series(const SpectralKernel& kernel, std::size_t degree) {
  // The error is that of the coefficients as computed, so errors of the quadrature are in it.
  ChebyshevSeries series{.coefficients = coefficients_of(kernel, degree), .error = {}};
  series.error = error_of(kernel, series.coefficients);
  return series;
}

ChebyshevSweep::ChebyshevSweep(const Graph& graph)
    // Copies, so that filters may outlive the graph.
    : offsets_(graph.offsets().begin(), graph.offsets().end()),
      entries_(graph.entries().begin(), graph.entries().end()),
      root_(walk_scaling(graph, WalkOperator::kSymmetric).pre) {}

void ChebyshevSweep::shifted_laplacian(const RowMatrix& x, RowMatrix& y) const {
  y.setZero(x.rows(), x.cols());
  for (std::size_t i = 0; i < nodes(); ++i) {
    auto row = y.row(static_cast<Eigen::Index>(i));
    for (std::uint32_t k = offsets_[i]; k < offsets_[i + 1]; ++k) row += root_[entries_[k]] * x.row(entries_[k]);
    row *= -root_[i];
  }
}

void ChebyshevSweep::apply(std::span<const ChebyshevSeries> series, const RowMatrix& signals,
                           std::vector<RowMatrix>& bands) const {
  std::size_t degree = 0;
  bands.resize(series.size());
  for (std::size_t j = 0; j < series.size(); ++j) {
    bands[j] = series[j].coefficients[0] * signals;
    degree = std::max(degree, series[j].coefficients.size() - 1);
  }
  const auto add = [&](std::size_t k, const RowMatrix& term) {
    for (std::size_t j = 0; j < series.size(); ++j) {
      if (k < series[j].coefficients.size()) bands[j] += series[j].coefficients[k] * term;
    }
  };
  if (degree == 0) return;
  RowMatrix before = signals;
  RowMatrix current;
  // T_0 x = x and T_1 x = (Lap - I) x start the recurrence.
  shifted_laplacian(before, current);
  add(1, current);
  RowMatrix next;
  for (std::size_t k = 2; k <= degree; ++k) {
    shifted_laplacian(current, next);
    next = 2.0 * next - before;
    add(k, next);
    std::swap(before, current);
    std::swap(current, next);
  }
}

}  // namespace unscatter
