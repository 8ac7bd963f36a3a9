// How rows and columns are handed to the row kernels (row_kernels.inc).
#pragma once

#include <cstddef>
#include <vector>

#include "linalg/kernels.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

static_assert(sizeof(Segment) == sizeof(kernel::SegmentView));
static_assert(alignof(Segment) == alignof(kernel::SegmentView));

// Rows [first, first + size) with the same segments, as many as the kernels take at once.  Neighbouring rows often have
// the same segments: all graphs of a data set with dense attributes do.  A row whose segments differ from those of its
// neighbours is a group of its own, with the same result.
struct RowGroup {
  RowGroup(const SparseBlockRows& Z, std::size_t first, std::size_t last) : shape(&Z.row(first).segments) {
    for (std::size_t i = first; i < last && size < kernel::kMostRows && Z.row(i).segments == *shape; ++i) {
      values[size++] = Z.row(i).values.data();
    }
  }

  [[nodiscard]] const kernel::SegmentView* segments() const {
    // The assertions above make this safe in practice: two structures of two equal integers.
    return reinterpret_cast<const kernel::SegmentView*>(shape->data());
  }
  // out = rows W, row major.  One row of `out` and of W has `columns` numbers.
  void multiply(const double* W, std::size_t columns, double* out) const {
    kernel::kernels().row_products(values, size, segments(), shape->size(), W, columns, out);
  }
  // S += rows^T factors
  void add_to(double* S, std::size_t columns, const double* factors) const {
    kernel::kernels().add_rows(values, size, segments(), shape->size(), factors, columns, S);
  }

  const std::vector<Segment>* shape;  // of the first row, which must outlive the group
  const double* values[kernel::kMostRows] = {};
  std::size_t size = 0;
};

// The columns of a matrix as the row kernels want them: row major, and filled up with columns of zeros to
// padded_columns().  What the kernels compute from the zeros is never read.
class PaddedColumns {
 public:
  PaddedColumns(Eigen::Index rows, Eigen::Index columns)
      : padded_(kernel::padded_columns(static_cast<std::size_t>(columns))),
        matrix_(RowMatrix::Zero(rows, static_cast<Eigen::Index>(padded_))) {}
  explicit PaddedColumns(const Matrix& columns) : PaddedColumns(columns.rows(), columns.cols()) {
    matrix_.leftCols(columns.cols()) = columns;
  }

  [[nodiscard]] std::size_t padded() const { return padded_; }
  [[nodiscard]] const double* data() const { return matrix_.data(); }
  [[nodiscard]] double* data() { return matrix_.data(); }
  void clear() { matrix_.setZero(); }
  void operator+=(const PaddedColumns& other) { matrix_ += other.matrix_; }
  [[nodiscard]] Matrix first(Eigen::Index columns) const { return matrix_.leftCols(columns); }

 private:
  std::size_t padded_;
  RowMatrix matrix_;
};

}  // namespace unscatter
