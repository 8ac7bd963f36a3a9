// C = Z^T Z of the present rows, kept while they change, for an upper bound on |Z| at O(d^3) instead of O(n d^2).
#pragma once

#include <cstddef>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class RowSquare {
 public:
  explicit RowSquare(const SparseBlockRows& rows);

  // A row was `before` and is now `after`.
  void replace_row(const BlockRow& before, const BlockRow& after);
  // Errs high, whatever rounding has left in C (docs/theory.md, "The fast factor").
  [[nodiscard]] double spectral_norm_upper_bound() const;
  void wipe() noexcept;
  // Changes that C has seen.
  [[nodiscard]] std::size_t changes() const noexcept { return changes_; }

 private:
  Matrix square_;
  std::size_t rows_;
  std::size_t changes_ = 0;
  double magnitude_ = 0;  // of all terms ever added: >= sum |z|^2 over them
};

}  // namespace unscatter
