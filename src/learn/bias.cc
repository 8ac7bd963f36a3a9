#include "unscatter/learn/bias.h"

namespace unscatter {

BlockRow with_bias(BlockRow row, std::size_t width) {
  *row.append(width, 1) = 1;
  return row;
}

SparseBlockRows with_bias(const SparseBlockRows& rows) {
  SparseBlockRows wider(0, rows.columns() + 1);
  // An empty row gets its 1 as well: a graph whose embedding is zero still counts for the bias.
  for (std::size_t i = 0; i < rows.rows(); ++i) wider.append_row(with_bias(rows.row(i), rows.columns()));
  return wider;
}

}  // namespace unscatter
