#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

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

double embedding_norm_bound(double upper_frame_bound, std::size_t layers) {
  double sum = 0;
  double energy = 1;
  // A layer has at most B^2 times the energy of the layer above it.  Moduli keep the energy of a signal.
  for (std::size_t l = 0; l < layers; ++l, energy *= upper_frame_bound * upper_frame_bound) sum += energy;
  return std::sqrt(sum);
}

}  // namespace unscatter
