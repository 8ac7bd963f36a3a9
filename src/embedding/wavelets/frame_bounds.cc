#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {

FrameBounds frame_bounds_of(const GraphFilters& filters, std::size_t nodes) {
  const auto n = static_cast<Eigen::Index>(nodes);
  std::vector<RowMatrix> bands;
  // The bands of the identity are the filters as dense matrices.
  filters.apply(RowMatrix::Identity(n, n), bands);
  Matrix gram = Matrix::Zero(n, n);
  for (const RowMatrix& H : bands) gram.noalias() += H.transpose() * H;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram, Eigen::EigenvaluesOnly);
  // Covers the rounding of the products and of the eigensolver, both relative to |gram|_F.  The constants are those of
  // spectral_norm_upper_bound() with room to spare.  It widens outwards: the smallest value falls, the largest one
  // grows.
  const double slack = 20.0 * static_cast<double>(n + 10) * std::numeric_limits<double>::epsilon() * gram.norm();
  const double smallest = std::max(0.0, solver.eigenvalues()(0) - slack);
  const double largest = std::max(0.0, solver.eigenvalues()(n - 1) + slack);
  return {std::sqrt(smallest), std::sqrt(largest)};
}

Result<FrameBounds> frame_bounds_over(const WaveletBank& bank, std::span<const Graph> graphs, std::size_t threads,
                                      Progress& progress) {
  std::vector<std::optional<Result<FrameBounds>>> all(graphs.size());
  progress.begin("frame bounds", graphs.size());
  // A few graphs at a time: one takes O(g^3), so that waking a thread costs little beside it.
  parallel_for(graphs.size(), threads, 8, [&](std::size_t g, std::size_t) {
    auto filters = bank.on(graphs[g]);
    all[g] = filters.ok() ? Result<FrameBounds>((*filters)->frame_bounds())
                          : Result<FrameBounds>(std::move(filters).error());
    progress.advance(1);
  });
  progress.end();
  std::optional<FrameBounds> extremes;
  for (std::optional<Result<FrameBounds>>& bounds : all) {
    if (!bounds->ok()) return std::move(*bounds).error();
    if (!extremes) extremes = bounds->value();
    extremes->lower = std::min(extremes->lower, bounds->value().lower);
    extremes->upper = std::max(extremes->upper, bounds->value().upper);
  }
  return extremes.value_or(FrameBounds{});
}

double embedding_norm_bound(double upper_frame_bound, std::size_t layers) {
  double sum = 0;
  double energy = 1;
  // A layer has at most B^2 times the energy of the layer above it.  Moduli keep the energy of a signal.
  for (std::size_t l = 0; l < layers; ++l, energy *= upper_frame_bound * upper_frame_bound) sum += energy;
  return std::sqrt(sum);
}

}  // namespace unscatter
