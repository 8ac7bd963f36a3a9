// Spectral wavelets on graphs: a WaveletBank over a KernelBank.
//
//   eigen      H_j = V diag(h_j(lambda)) V^T from a dense eigendecomposition: exact, O(g^3) per graph
//   chebyshev  H_j = p_j(Lap), p_j a truncated Chebyshev series of h_j: O(degree |E|) per signal, never a dense matrix
//   automatic  eigen for graphs of at most `eigen_nodes` nodes, chebyshev above
//
// The choice depends on the graph's size alone, so an embedding stays a function of its graph.  A removal that takes a
// graph across the threshold changes its filters by up to approximation_error() more than the removal itself does.
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
  // Largest graph that `automatic` decomposes.  At equal cost the two meet between 100 and 200 nodes
  // (docs/wavelets.md); exact filters are worth the tenth of a second that 300 nodes take.
  std::size_t eigen_nodes = 300;
  FrameRequirement frame = {};
};

// Const access from any number of threads, as long as the kernels allow it.
class SpectralBank : public WaveletBank {
 public:
  // What the samples of the kernels over [0, 2] tell: frame bounds that hold for every graph, and the paper's second
  // condition.
  [[nodiscard]] virtual const KernelBankReport& report() const noexcept = 0;
  // The kernels themselves.
  [[nodiscard]] virtual const KernelBank& kernels() const noexcept = 0;
  // kEigen or kChebyshev, for a graph of that many nodes.
  [[nodiscard]] virtual SpectralMethod method_for(std::size_t nodes) const noexcept = 0;
  // Largest |h_j - p_j| over [0, 2] and all j.  If `proven`, an upper bound; otherwise (a kernel without Lipschitz
  // constant) the largest difference at the samples, which errs low.  {0, true} for the method `eigen`.
  [[nodiscard]] virtual SampledBound approximation_error() const noexcept = 0;
};

// The filters' frame_bounds() on a graph: with eigen the extremes over that graph's eigenvalues, rounded outwards; with
// chebyshev the bounds over [0, 2], widened by the approximation error (not proven where report().frame_proven or
// approximation_error().proven is false).
//
// Errors here: those of examine(); kFrameCondition if the bounds over [0, 2] (for chebyshev: the widened ones) break
// options.frame; kInvalidArgument for a degree outside its range.
// Errors of on(): kUnsupported for a directed graph; kFrameCondition if the bounds on that graph break options.frame or
// a kernel is not finite at an eigenvalue; kNotConverged from the eigensolver.
[[nodiscard]] Result<std::shared_ptr<const SpectralBank>> make_spectral_bank(KernelBank kernels,
                                                                             const SpectralOptions& options = {});

}  // namespace unscatter
