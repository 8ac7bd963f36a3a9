// What a model says: the class of largest score w_k.z, the first one among equals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// weights: width x K, K >= 1.
[[nodiscard]] std::uint32_t predict(const BlockRow& row, const Matrix& weights);
[[nodiscard]] std::vector<std::uint32_t> predict(const SparseBlockRows& rows, const Matrix& weights);
// Share of rows whose prediction equals the label; 0 for no rows.
[[nodiscard]] double accuracy(const SparseBlockRows& rows, std::span<const std::uint32_t> labels,
                              const Matrix& weights);

}  // namespace unscatter
