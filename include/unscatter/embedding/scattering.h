// Graph scattering: a tree of wavelets and moduli, summarised by moments.
//
//   root: the input signal x;   children of a signal s: |H_0 s|, ..., |H_{J-1} s|   (without |.| if linear)
//   coefficients of a signal s: sum_i u_i s_i^q for q = 1..Q, with low-pass weights u (the mean: u_i = 1/g)
//
// Columns of an embedding are ordered by tree node (breadth first, children in order of j), then channel, then moment.
// So the width is (1 + J + ... + J^(L-1)) * channels * Q.
#pragma once

#include <cstddef>
#include <memory>

#include "unscatter/embedding/transform.h"
#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {

enum class LowPass {
  kMean,    // u = 1/g
  kDegree,  // u = d / |d|_1, as in diffusion scattering [Gama19a]; the mean where a graph has no edges
};

struct ScatteringOptions {
  std::size_t layers = 3;   // L >= 1, the root included
  std::size_t moments = 4;  // Q >= 1
  bool linear = false;
  LowPass low_pass = LowPass::kMean;
};

// The number of tree nodes: 1 + J + ... + J^(L-1).
[[nodiscard]] std::size_t scattering_tree_size(std::size_t scales, std::size_t layers) noexcept;

// Scattering with any bank, through its GraphFilters.  Walk banks (walk_bank.h) have a faster form of the same in
// walk_scattering.h.  Errors: kInvalidArgument for zero layers or moments; kLimitExceeded for a layer of more than 2^20
// signals.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_scattering(std::shared_ptr<const WaveletBank> bank,
                                                                 const ScatteringOptions& options);

}  // namespace unscatter
