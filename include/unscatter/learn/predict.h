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

// A constant 1 in one more column: the bias of every class, regularised like the other weights (strong convexity, on
// which the certificates rest, needs that).  `width` is the row's width before.
[[nodiscard]] BlockRow with_bias(BlockRow row, std::size_t width);
[[nodiscard]] SparseBlockRows with_bias(const SparseBlockRows& rows);

}  // namespace unscatter
