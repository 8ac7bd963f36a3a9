// Spectral wavelets on graphs: a WaveletBank over a KernelBank.
//
//   eigen      H_j = V diag(h_j(lambda)) V^T from a dense eigendecomposition: exact, O(g^3) per graph
//   chebyshev  H_j = p_j(Lap), p_j a truncated Chebyshev series of h_j: O(degree |E|) per signal, never a dense matrix
//   automatic  eigen for graphs of at most `eigen_nodes` nodes, chebyshev above
//
// The choice depends on the size of the graph alone, so an embedding stays a function of its graph.  A removal may take
// a graph across the threshold.  Its filters then change by up to approximation_error() more than the removal itself
// changes them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "unscatter/embedding/spectral_kernel.h"
#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {

enum class SpectralMethod { kAutomatic, kEigen, kChebyshev };
// "automatic", "eigen", "chebyshev".
[[nodiscard]] std::string_view spectral_method_name(SpectralMethod method) noexcept;

struct SpectralOptions {
  SpectralMethod method = SpectralMethod::kAutomatic;
  std::size_t degree = 64;  // of the Chebyshev series; 1..4096
  // The largest graph that `automatic` decomposes.  The two methods cost the same somewhere between 100 and 200 nodes
  // (docs/wavelets.md).  Exact filters are worth the tenth of a second that 300 nodes take.
  std::size_t eigen_nodes = 300;
  FrameRequirement frame = {};
};

// Any number of threads may use it at the same time, as long as the kernels allow that.
class SpectralBank : public WaveletBank {
 public:
  // What the samples of the kernels over [0, 2] show: frame bounds that hold for every graph, and the paper's second
  // condition.
  [[nodiscard]] virtual const KernelBankReport& report() const noexcept = 0;
  // The kernels themselves.
  [[nodiscard]] virtual const KernelBank& kernels() const noexcept = 0;
  // kEigen or kChebyshev, for a graph of `nodes` nodes.
  [[nodiscard]] virtual SpectralMethod method_for(std::size_t nodes) const noexcept = 0;
  // The largest |h_j - p_j| over [0, 2] and all j.  It is an upper bound if `proven`.  Otherwise some kernel has no
  // Lipschitz constant, and it is the largest difference at the samples, which errs low.  For the method `eigen` it is
  // {0, true}.
  [[nodiscard]] virtual SampledBound approximation_error() const noexcept = 0;
};

// frame_bounds() of the filters on a graph depends on the method.  With eigen it gives the extremes over the
// eigenvalues of that graph, rounded outwards.  With chebyshev it gives the bounds over [0, 2], widened by the
// approximation error.  The latter are not proven where report().frame_proven or approximation_error().proven is false.
//
// Errors here: those of examine(); kFrameCondition if the bounds over [0, 2] (for chebyshev: the widened ones) break
// options.frame; kInvalidArgument for a degree outside its range.
// Errors of on(): kUnsupported for a directed graph; kFrameCondition if the bounds on that graph break options.frame or
// a kernel is not finite at an eigenvalue; kNotConverged from the eigensolver.
[[nodiscard]] Result<std::shared_ptr<const SpectralBank>> make_spectral_bank(KernelBank kernels,
                                                                             const SpectralOptions& options = {});

}  // namespace unscatter
