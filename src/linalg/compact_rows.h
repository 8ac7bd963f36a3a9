// A copy of sparse rows for methods that go over them many times with few columns.
//
// Rows in short segments cost more for finding their places than for multiplying, and sums over all columns cost more
// than those over the columns that occur.  Here a column that no row has does not exist.  Columns that many rows have
// come first, and every row has a place for each of them, so that lanes can work on them.  On IMDB-BINARY 98 of 726
// columns have 94 % of all values.  Each of the other values has its place beside it.  Results differ in their last
// digits from those of row_pass.h, so nothing may rest on them that was rounded there.  They do not depend on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class CompactRows {
 public:
  // Whether the segments of the rows are so short that a copy pays, and the copy is small.
  [[nodiscard]] static bool pay(const SparseBlockRows& Z);

  // Where ranks share the rows, Z must outlive the copy.
  explicit CompactRows(const SparseBlockRows& Z);
  CompactRows(const CompactRows&) = delete;
  CompactRows& operator=(const CompactRows&) = delete;
  CompactRows(CompactRows&&) = default;
  CompactRows& operator=(CompactRows&&) = default;
  ~CompactRows();  // overwrites the copy

  // The columns of Z that some row has.
  [[nodiscard]] std::size_t columns() const noexcept { return occurring_.size(); }
  // The lines of X that belong to columns that occur.
  [[nodiscard]] Matrix gathered(const Matrix& X) const;
  // Writes the lines of `some` back to their places in X.
  void spread(const Matrix& some, Matrix& X) const;

  // Column c: Z^T diag(weights.col(c)) Z X.col(c).  X and the result have one line per column that occurs.
  [[nodiscard]] Matrix weighted_square_product(const Matrix& weights, const Matrix& X, std::size_t threads = 1) const;

 private:
  [[nodiscard]] std::size_t parts() const;
  [[nodiscard]] Matrix shared_product(const Matrix& weights, const Matrix& X, std::size_t threads) const;
  // Adds the rows [first, last) to one column of the sums.
  void add_rows(std::size_t first, std::size_t last, const double* weights, const double* x, double* sums) const;

  const SparseBlockRows* shared_ = nullptr;  // Z, where ranks share its rows
  std::size_t stored_ = 0;                   // values of all rows
  std::vector<std::uint32_t> occurring_;     // columns of Z, those that many rows have first
  std::size_t frequent_ = 0;                 // so many of them
  std::vector<double> dense_;                // row by row, a value for each of the frequent columns
  std::vector<double> values_;               // the others
  std::vector<std::uint32_t> places_;        // of each of these, among the columns that occur
  std::vector<std::size_t> starts_;          // of every row's other values, and the end
};

}  // namespace unscatter
