// Products with sparse block rows.  Every sum over rows has a fixed shape (a binary tree over leaves of kLeafRows
// rows), so that results do not depend on the number of threads and carry an error that grows with log n instead of n.
#pragma once

#include <cstddef>
#include <span>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// a.b; the rows may have different segments.
[[nodiscard]] double dot(const BlockRow& a, const BlockRow& b);
// row.x, with x as wide as the row's matrix.
[[nodiscard]] double dot(const BlockRow& row, Eigen::Ref<const Vector> x);
// x += factor row
void add_scaled(const BlockRow& row, double factor, Eigen::Ref<Vector> x);
// The new and the old row of an edit, as columns; the column of one that is not there is zero.  Wipe it: the old row
// may be one that goes.
[[nodiscard]] Matrix edited_rows(const BlockRow& before, const BlockRow& after, std::size_t width);
// |row|_2
[[nodiscard]] double norm(const BlockRow& row);
[[nodiscard]] double squared_norm(const BlockRow& row);

// Z W, one row per row of Z, one column per column of W.
[[nodiscard]] Matrix product(const SparseBlockRows& Z, const Matrix& W, std::size_t threads = 1);

// Roundings that any term of a row's entries in product() goes through, at most: |computed - exact| <= gamma_depth
// |row| |w|. Sums of short blocks are added up, so that this grows with the number of blocks, not of values.
[[nodiscard]] std::size_t product_depth(const BlockRow& row);

// Z^T R, with R as tall as Z.
[[nodiscard]] Matrix transposed_product(const SparseBlockRows& Z, const Matrix& R, std::size_t threads = 1);

// Rows that one leaf of the summation tree adds one after the other.  Short enough for small errors, long enough that
// adding the leaves' sums costs little beside the rows themselves.
inline constexpr std::size_t kLeafRows = 128;

// Additions that any number inside transposed_product() of `rows` rows goes through, at most.
[[nodiscard]] std::size_t summation_depth(std::size_t rows);

// A X for a symmetric A, both triangles given, and a few columns X.
[[nodiscard]] Matrix symmetric_product(const Matrix& A, const Matrix& X, std::size_t threads = 1);

// A += X diag(factors) X^T, both triangles, for a few columns X.
void add_squares(const Matrix& X, const Vector& factors, Matrix& A);

// G = Z Z^T, the full symmetric matrix.
[[nodiscard]] Matrix gram(const SparseBlockRows& Z, std::size_t threads = 1);
// Row and column i of G after row i of Z changed.
void refresh_gram_row(const SparseBlockRows& Z, std::size_t i, Matrix& G);

// Z^T diag(weights) Z for weights >= 0, the full symmetric matrix.
[[nodiscard]] Matrix weighted_square(const SparseBlockRows& Z, const Eigen::Ref<const Vector>& weights);

}  // namespace unscatter
