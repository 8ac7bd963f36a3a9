// Chebyshev series of kernels, and filters made of them without a dense matrix [Hammond11, Sec. 6].
//
//   p(lambda) = c_0 + sum_{k=1..d} c_k T_k(lambda - 1),    p(Lap) x by  T_{k+1} = 2 (Lap - I) T_k - T_{k-1}
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/embedding/spectral_kernel.h"
#include "unscatter/embedding/walk_bank.h"

namespace unscatter {

struct ChebyshevSeries {
  std::vector<double> coefficients;
  SampledBound error;  // of |h - p| over [0, 2]; proven where the kernel's Lipschitz constant is known
};

// The truncated series of degree `degree`, by quadrature at Chebyshev points.  Exact for polynomials up to that degree.
[[nodiscard]] ChebyshevSeries chebyshev_series(const SpectralKernel& kernel, std::size_t degree);

// p(lambda) by Clenshaw's recurrence.
[[nodiscard]] double evaluate(std::span<const double> coefficients, double lambda);

// bands[j] = p_j(Lap) signals.  One sweep serves all series: d sparse products, O(d (|E| + g J) c).
class ChebyshevSweep {
 public:
  explicit ChebyshevSweep(const Graph& graph);
  void apply(std::span<const ChebyshevSeries> series, const RowMatrix& signals, std::vector<RowMatrix>& bands) const;
  [[nodiscard]] std::size_t nodes() const noexcept { return offsets_.size() - 1; }

 private:
  // y = (Lap - I) x = -D^-1/2 A D^-1/2 x.  It is 0 at a node of degree 0.
  void shifted_laplacian(const RowMatrix& x, RowMatrix& y) const;

  std::vector<std::uint32_t> offsets_;
  std::vector<NodeIndex> entries_;
  std::vector<double> root_;  // d^-1/2
};

}  // namespace unscatter
