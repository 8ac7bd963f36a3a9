// Scores w_k.z + b_k as sums in a fixed order, without fused operations: equal bit for bit on every machine.
//
// The functions of row_products.h are faster for many rows, but their last digits depend on the processor.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class FixedScores {
 public:
  // weights: columns x K, or columns + 1 with a bias as the last row.
  FixedScores(const Matrix& weights, bool bias);
  // As weights() and bias() of another object say.
  FixedScores(std::vector<double> weights, std::vector<double> bias);

  [[nodiscard]] std::size_t classes() const noexcept { return bias_.size(); }
  [[nodiscard]] std::size_t columns() const noexcept { return weights_.size() / bias_.size(); }
  // Of a row of that many columns, without the bias.  One score per class.
  void of(const BlockRow& row, std::span<double> scores) const;

  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }
  [[nodiscard]] const std::vector<double>& bias() const noexcept { return bias_; }

 private:
  std::vector<double> weights_;  // the classes of one coordinate side by side
  std::vector<double> bias_;     // one per class; zeros if the model has none
};

}  // namespace unscatter
