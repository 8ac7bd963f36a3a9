// Scattering with the wavelets of a lazy walk, in a fast form.  This is where a program spends its time while it
// embeds.
//
// It is the same transform as make_scattering() over make_walk_bank() (walk_bank.h), up to rounding.  A graph costs per
// channel
//
//   sum_{l < L-1} J^l 2^(J-1)    walk steps, each one addition per edge entry and three operations per node, and
//   1 + J + ... + J^(L-1)        signals, each 2 Q operations per node for its moments.
//
// No dense power of T is ever formed.  Bands share the dyadic iterates T^(2^j) x.  All signals of a layer advance
// together, with channels side by side in memory, so that SIMD lanes are channels.  The last layer is reduced to
// moments and not stored.
//
// A channel goes through the same operations in the same order, whatever the lane width, the number of threads or the
// other channels are.  The expression a*b+c is rounded twice.  So the result is one fixed function of the graph on
// every machine.
#pragma once

#include <cstddef>
#include <memory>

#include "unscatter/embedding/scattering.h"
#include "unscatter/embedding/walk_bank.h"

namespace unscatter {

// Errors as make_scattering and make_walk_bank; embedding a directed graph with the symmetric operator is kUnsupported.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_walk_scattering(WalkOperator op, std::size_t scales,
                                                                      const ScatteringOptions& options);

// What embedding one graph costs at least with this algorithm.  A measured time is compared with the machine's limit by
// it.
struct WalkScatteringCost {
  double flops = 0;  // additions, multiplications and absolute values on active channels, no padding
  double bytes = 0;  // loads and stores of signals that the walk steps make
};
[[nodiscard]] WalkScatteringCost walk_scattering_cost(std::size_t nodes, std::size_t entries,
                                                      std::size_t active_channels, std::size_t scales,
                                                      const ScatteringOptions& options);

// The instruction set the kernel runs on here, for example "AVX2".
[[nodiscard]] const char* simd_target_name();

}  // namespace unscatter
