// Sparse constants of the network (adjacency, features, averages) and their products with dense blocks, in single
// precision.
//
// The sparse and indexed additions of libtorch are no choice here.  Debian's build has no MKL, so they run one row at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace unscatter::gin {

// Compressed sparse rows.
struct SparseRows {
  std::size_t columns = 0;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> column;
  std::vector<float> value;

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.size() - 1; }
  void add_entry(std::uint32_t at, float entry) {
    column.push_back(at);
    value.push_back(entry);
  }
  void end_row() { offsets.push_back(static_cast<std::uint32_t>(column.size())); }
};

// result := S dense, for row-major blocks of `width` columns.  `dense` has S.columns rows and `result` has S.rows().
// Sums run in the order of the entries, so the result does not depend on the number of threads.
void multiply(const SparseRows& S, std::span<const float> dense, std::size_t width, std::span<float> result);

// result := S^T dense.  `dense` has S.rows() rows and `result` has S.columns.
void multiply_transposed(const SparseRows& S, std::span<const float> dense, std::size_t width, std::span<float> result);

}  // namespace unscatter::gin
