#include "experiment/gin/sparse_rows.h"

#include <algorithm>

#include "base/parallel.h"
#include "unscatter/base/invariant.h"

namespace unscatter::gin {
namespace {

// Rows per piece of work: about 100,000 additions on sparse graphs with 64 channels.
constexpr std::size_t kRowsAtOnce = 256;
// Columns per piece of work: 128 bytes of a row.
constexpr std::size_t kColumnsAtOnce = 32;

void require_shapes(bool fit) {
  if (!fit) throw InvariantViolation("sparse product: shapes do not fit");
}

void add_scaled(const float* from, float factor, std::size_t count, float* to) {
  for (std::size_t k = 0; k < count; ++k) to[k] += factor * from[k];
}

}  // namespace

void multiply(const SparseRows& S, std::span<const float> dense, std::size_t width, std::span<float> result) {
  require_shapes(dense.size() == S.columns * width && result.size() == S.rows() * width);
  const std::size_t pieces = (S.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for(pieces, 0, 1, [&](std::size_t piece, std::size_t) {
    const std::size_t end = std::min((piece + 1) * kRowsAtOnce, S.rows());
    for (std::size_t i = piece * kRowsAtOnce; i < end; ++i) {
      float* row = result.data() + i * width;
      std::fill(row, row + width, 0.0F);
      for (std::size_t e = S.offsets[i]; e < S.offsets[i + 1]; ++e) {
        add_scaled(dense.data() + S.column[e] * width, S.value[e], width, row);
      }
    }
  });
}

void multiply_transposed(const SparseRows& S, std::span<const float> dense, std::size_t width,
                         std::span<float> result) {
  require_shapes(dense.size() == S.rows() * width && result.size() == S.columns * width);
  // A row of the result receives values from everywhere, a column only from its own column.  So columns are shared out
  // among threads, and no two of them write to the same place.
  const std::size_t pieces = (width + kColumnsAtOnce - 1) / kColumnsAtOnce;
  parallel_for(pieces, 0, 1, [&](std::size_t piece, std::size_t) {
    const std::size_t begin = piece * kColumnsAtOnce;
    const std::size_t count = std::min(kColumnsAtOnce, width - begin);
    for (std::size_t j = 0; j < S.columns; ++j) std::fill_n(result.data() + j * width + begin, count, 0.0F);
    for (std::size_t i = 0; i < S.rows(); ++i) {
      for (std::size_t e = S.offsets[i]; e < S.offsets[i + 1]; ++e) {
        add_scaled(dense.data() + i * width + begin, S.value[e], count, result.data() + S.column[e] * width + begin);
      }
    }
  });
}

}  // namespace unscatter::gin
