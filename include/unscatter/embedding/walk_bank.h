// Diffusion wavelets of a lazy random walk T: H_0 = I - T, H_j = T^(2^(j-1)) - T^(2^j).
//
//   row        T = (I + D^-1 A)/2          averages over (in-)neighbours; what the paper's public code computes
//   column     T = (I + A D^-1)/2          moves mass along edges; the paper's geometric scattering [Gao19]
//   symmetric  T = (I + D^-1/2 A D^-1/2)/2 diffusion scattering [Gama19a]; undirected graphs only
//
// A_ij = 1 if there is an edge j -> i.  For a directed graph, row divides by the in-degree of i and column by the
// out-degree of j.  So rows or columns of the walk part sum to 1.  Where a degree is 0, the walk part is 0 (T_ii =
// 1/2).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {

enum class WalkOperator { kRow, kColumn, kSymmetric };
[[nodiscard]] std::string_view walk_operator_name(WalkOperator op) noexcept;

// y_i = (x_i + post_i * sum over neighbours j of pre_j x_j) / 2, the common form of the three operators.
struct WalkScaling {
  std::vector<double> pre;   // empty: all one
  std::vector<double> post;  // empty: all one
};
// Replaces the content of `scaling` and reuses its memory.
void walk_scaling(const Graph& graph, WalkOperator op, WalkScaling& scaling);
[[nodiscard]] WalkScaling walk_scaling(const Graph& graph, WalkOperator op);

// Frame bounds.  For `symmetric` the lower one is 0 on every graph with an edge, because no H_j lets a walk's
// stationary signal pass.  So it is reported and not required.  For `symmetric` the upper one is at most 1.  Errors:
// kInvalidArgument for scales outside 1..16.
[[nodiscard]] Result<std::shared_ptr<const WaveletBank>> make_walk_bank(WalkOperator op, std::size_t scales);

}  // namespace unscatter
