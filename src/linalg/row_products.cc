#include "unscatter/linalg/row_products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "linalg/dense_kernels.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/parallel.h"

namespace unscatter {
namespace {

using Eigen::Index;
using ConstSpan = Eigen::Map<const Vector>;

Index index(std::size_t i) { return static_cast<Index>(i); }

// Calls body(first column, values) for each segment of a row.
template <typename Body>
void for_each_segment(const BlockRow& row, Body body) {
  const double* value = row.values.data();
  for (const Segment& segment : row.segments) {
    body(Index{segment.column}, ConstSpan(value, Index{segment.length}));
    value += segment.length;
  }
}

static_assert(sizeof(Segment) == sizeof(dense::SegmentView) && alignof(Segment) == alignof(dense::SegmentView));

const dense::SegmentView* segments_of(const BlockRow& row) {
  return reinterpret_cast<const dense::SegmentView*>(row.segments.data());
}

// Rows [first, first + size) with the same segments, as many as the kernels take at once.
struct RowGroup {
  RowGroup(const SparseBlockRows& Z, std::size_t first, std::size_t last) : segments(&Z.row(first).segments) {
    for (std::size_t i = first; i < last && size < dense::kMostRows && Z.row(i).segments == *segments; ++i) {
      values[size++] = Z.row(i).values.data();
    }
  }

  const std::vector<Segment>* segments;
  const double* values[dense::kMostRows] = {};
  std::size_t size = 0;
};

// Column-major columns as the row kernels want them: row major, padded with zeros.
class PaddedColumns {
 public:
  PaddedColumns(Index rows, Index columns)
      : padded_(dense::padded_columns(static_cast<std::size_t>(columns))), matrix_(RowMatrix::Zero(rows, index(padded_))) {}
  explicit PaddedColumns(const Matrix& columns) : PaddedColumns(columns.rows(), columns.cols()) {
    matrix_.leftCols(columns.cols()) = columns;
  }

  [[nodiscard]] std::size_t padded() const { return padded_; }
  [[nodiscard]] const double* data() const { return matrix_.data(); }
  [[nodiscard]] double* data() { return matrix_.data(); }
  void operator+=(const PaddedColumns& other) { matrix_ += other.matrix_; }
  [[nodiscard]] Matrix first(Index columns) const { return matrix_.leftCols(columns); }

 private:
  std::size_t padded_;
  RowMatrix matrix_;
};

// Z[first, last)^T R: rows of a leaf one after the other, halves by recursion, a balanced tree of additions.
class TransposedSum {
 public:
  TransposedSum(const SparseBlockRows& Z, const Matrix& R) : Z_(Z), R_(R) {}

  [[nodiscard]] PaddedColumns operator()(std::size_t first, std::size_t last) const {
    if (last - first <= kLeafRows) {
      PaddedColumns sum(index(Z_.columns()), R_.cols());
      std::vector<double> factors(dense::kMostRows * sum.padded(), 0.0);
      for (std::size_t i = first; i < last;) i += add_group(i, last, factors, sum);
      return sum;
    }
    const std::size_t middle = split(first, last);
    PaddedColumns sum = (*this)(first, middle);
    sum += (*this)(middle, last);
    return sum;
  }

  // Where a range of more than one leaf is cut: the largest power-of-two number of leaves below its length.
  static std::size_t split(std::size_t first, std::size_t last) {
    const std::size_t leaves = (last - first + kLeafRows - 1) / kLeafRows;
    return first + kLeafRows * std::bit_floor(leaves - 1);
  }

 private:
  // Adds rows from `first` on that share their segments and returns how many.
  std::size_t add_group(std::size_t first, std::size_t last, std::vector<double>& factors, PaddedColumns& sum) const {
    const RowGroup group(Z_, first, last);
    if (group.segments->empty()) return group.size;
    for (std::size_t r = 0; r < group.size; ++r) {
      double* factor = factors.data() + r * sum.padded();
      for (Index k = 0; k < R_.cols(); ++k) factor[k] = R_(index(first + r), k);
    }
    dense::kernels().add_rows(group.values, group.size, segments_of(Z_.row(first)), group.segments->size(), factors.data(),
                              sum.padded(), sum.data());
    return group.size;
  }

  const SparseBlockRows& Z_;
  const Matrix& R_;
};

// result = Z[first, last) W
void multiply_rows(const SparseBlockRows& Z, std::size_t first, std::size_t last, const PaddedColumns& W, Matrix& result) {
  std::vector<double> products(dense::kMostRows * W.padded());
  for (std::size_t i = first; i < last;) {
    const RowGroup group(Z, i, last);
    dense::kernels().row_products(group.values, group.size, segments_of(Z.row(i)), group.segments->size(), W.data(), W.padded(),
                                  products.data());
    for (std::size_t r = 0; r < group.size; ++r) {
      const double* product = products.data() + r * W.padded();
      for (Index k = 0; k < result.cols(); ++k) result(index(i + r), k) = product[k];
    }
    i += group.size;
  }
}

}  // namespace

double dot(const BlockRow& a, const BlockRow& b) {
  double sum = 0;
  const double* value_a = a.values.data();
  const double* value_b = b.values.data();
  auto segment_a = a.segments.begin();
  auto segment_b = b.segments.begin();
  while (segment_a != a.segments.end() && segment_b != b.segments.end()) {
    const std::uint32_t end_a = segment_a->column + segment_a->length;
    const std::uint32_t end_b = segment_b->column + segment_b->length;
    const std::uint32_t first = std::max(segment_a->column, segment_b->column);
    const std::uint32_t last = std::min(end_a, end_b);
    if (first < last) {
      const ConstSpan common_a(value_a + (first - segment_a->column), Index{last - first});
      const ConstSpan common_b(value_b + (first - segment_b->column), Index{last - first});
      sum += common_a.dot(common_b);
    }
    if (end_a <= end_b) value_a += (segment_a++)->length;
    if (end_b <= end_a) value_b += (segment_b++)->length;
  }
  return sum;
}

double dot(const BlockRow& row, Eigen::Ref<const Vector> x) {
  double sum = 0;
  for_each_segment(row, [&](Index column, const ConstSpan& values) { sum += values.dot(x.segment(column, values.size())); });
  return sum;
}

void add_scaled(const BlockRow& row, double factor, Eigen::Ref<Vector> x) {
  for_each_segment(row, [&](Index column, const ConstSpan& values) { x.segment(column, values.size()) += factor * values; });
}

double squared_norm(const BlockRow& row) { return ConstSpan(row.values.data(), index(row.values.size())).squaredNorm(); }

double norm(const BlockRow& row) { return ConstSpan(row.values.data(), index(row.values.size())).stableNorm(); }

Matrix product(const SparseBlockRows& Z, const Matrix& W, std::size_t threads) {
  invariant(W.rows() == index(Z.columns()), "product(): W has one row per column of Z");
  Matrix result(index(Z.rows()), W.cols());
  const PaddedColumns padded(W);
  const std::size_t leaves = (Z.rows() + kLeafRows - 1) / kLeafRows;
  parallel_for(leaves, threads, 1, [&](std::size_t leaf, std::size_t) {
    const std::size_t first = leaf * kLeafRows;
    multiply_rows(Z, first, std::min(first + kLeafRows, Z.rows()), padded, result);
  });
  return result;
}

std::size_t product_depth(const BlockRow& row) {
  std::size_t blocks = 0;
  std::size_t longest = 0;
  for (const Segment& segment : row.segments) {
    blocks += (segment.length + dense::kProductBlock - 1) / dense::kProductBlock;
    longest = std::max<std::size_t>(longest, std::min(segment.length, dense::kProductBlock));
  }
  // A product, its way through one of two sums, their sum, and one addition per block.
  return 1 + (longest + 1) / 2 + 1 + blocks;
}

std::size_t summation_depth(std::size_t rows) {
  const std::size_t leaves = (rows + kLeafRows - 1) / kLeafRows;
  return std::min(rows, kLeafRows) + static_cast<std::size_t>(std::bit_width(leaves));
}

Matrix transposed_product(const SparseBlockRows& Z, const Matrix& R, std::size_t threads) {
  invariant(R.rows() == index(Z.rows()), "transposed_product(): R has one row per row of Z");
  const TransposedSum sum(Z, R);
  if (threads == 1 || Z.rows() <= kLeafRows) return sum(0, Z.rows()).first(R.cols());
  // The top of the same tree, its two halves at a time: the numbers are those of one thread.
  const std::size_t middle = TransposedSum::split(0, Z.rows());
  PaddedColumns halves[2] = {{0, R.cols()}, {0, R.cols()}};
  parallel_for(2, threads, 1,
               [&](std::size_t half, std::size_t) { halves[half] = half == 0 ? sum(0, middle) : sum(middle, Z.rows()); });
  halves[0] += halves[1];
  return halves[0].first(R.cols());
}

Matrix multiply_square(const Matrix& A, const Matrix& X) {
  invariant(A.rows() == A.cols() && A.cols() == X.rows(), "multiply_square(): factors that fit");
  Matrix result(X.rows(), X.cols());
  dense::kernels().multiply(A.data(), A.rows(), X.data(), X.cols(), result.data());
  return result;
}

Matrix gram(const SparseBlockRows& Z, std::size_t threads) {
  const Index n = index(Z.rows());
  Matrix G(n, n);
  parallel_for(Z.rows(), threads, 8, [&](std::size_t i, std::size_t) {
    // Row i spread out once, then one pass over the stored values of every earlier row.
    Vector dense(index(Z.columns()));
    Z.copy_row(i, {dense.data(), Z.columns()});
    for (std::size_t j = 0; j <= i; ++j) G(index(j), index(i)) = dot(Z.row(j), dense);
  });
  G.triangularView<Eigen::StrictlyLower>() = G.transpose();
  return G;
}

void refresh_gram_row(const SparseBlockRows& Z, std::size_t i, Matrix& G) {
  invariant(G.rows() == index(Z.rows()), "refresh_gram_row(): G is the Gram matrix of Z");
  Vector dense(index(Z.columns()));
  Z.copy_row(i, {dense.data(), Z.columns()});
  for (std::size_t j = 0; j < Z.rows(); ++j) G(index(j), index(i)) = dot(Z.row(j), dense);
  G.row(index(i)) = G.col(index(i)).transpose();
}

Matrix weighted_square(const SparseBlockRows& Z, const Eigen::Ref<const Vector>& weights) {
  invariant(weights.size() == index(Z.rows()), "weighted_square(): one weight per row");
  const Index d = index(Z.columns());
  Matrix H = Matrix::Zero(d, d);
  // Panels of dense rows, each scaled by the root of its weight, feed a blocked symmetric rank-k update.
  RowMatrix panel(index(kLeafRows), d);
  for (std::size_t first = 0; first < Z.rows(); first += kLeafRows) {
    const std::size_t count = std::min(kLeafRows, Z.rows() - first);
    for (std::size_t r = 0; r < count; ++r) {
      Z.copy_row(first + r, {panel.data() + r * Z.columns(), Z.columns()});
      panel.row(index(r)) *= std::sqrt(weights(index(first + r)));
    }
    dense::kernels().add_square(H.data(), d, panel.data(), index(count));
  }
  H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  return H;
}

}  // namespace unscatter
