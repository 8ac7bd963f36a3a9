// Gradients in extended precision, from rows and labels: what computed residuals are held against.
#pragma once

#include <cstdint>
#include <span>

#include "learn/wide_loss.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter::testing {

using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

// Column k: sum_i s_ik l'(s_ik w_k.z_i) z_i + ridge w_k.
[[nodiscard]] inline WideMatrix wide_gradient(const SparseBlockRows& rows, std::span<const std::uint32_t> labels,
                                              const Loss& loss, Wide ridge, const Matrix& weights) {
  const WideMatrix Z = rows.to_dense().cast<Wide>();
  const WideMatrix W = weights.cast<Wide>();
  WideMatrix slopes = Z * W;
  for (Eigen::Index i = 0; i < slopes.rows(); ++i) {
    for (Eigen::Index k = 0; k < slopes.cols(); ++k) {
      const Wide sign = labels[static_cast<std::size_t>(i)] == static_cast<std::size_t>(k) ? 1 : -1;
      slopes(i, k) = sign * WideLoss{loss}.slope(sign * slopes(i, k));
    }
  }
  return Z.transpose() * slopes + ridge * W;
}

}  // namespace unscatter::testing
