#pragma once

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/row_products.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// The new and the old row of an edit, as columns; the column of one that is not there is zero.  Wipe it: the old row may be one
// that goes.
[[nodiscard]] inline Matrix edited_rows(const BlockRow& before, const BlockRow& after, Eigen::Index width) {
  Matrix rows = Matrix::Zero(width, 2);
  add_scaled(after, 1, rows.col(0));
  add_scaled(before, 1, rows.col(1));
  return rows;
}

}  // namespace unscatter
