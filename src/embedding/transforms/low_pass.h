// Low-pass weights and option checks shared by the two scattering implementations.
#pragma once

#include <cstddef>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/scattering.h"
#include "unscatter/graph/graph.h"

namespace unscatter {

// u, one weight per node; they sum to 1.  Tombstones count: the paper goes on dividing by the old number of nodes.
// Replaces the content of `weights` and reuses its memory.
void low_pass_weights(const Graph& graph, LowPass low_pass, std::vector<double>& weights);

// Errors as in make_scattering.
[[nodiscard]] Status check_scattering(std::size_t scales, const ScatteringOptions& options);

}  // namespace unscatter
