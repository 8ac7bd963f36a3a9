// Products with sparse block rows.  Every sum over rows has a fixed shape: a binary tree over leaves of kLeafRows rows.
// So results do not depend on the number of threads, and errors grow with log n instead of n.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// a.b; the rows may have different segments.
[[nodiscard]] double dot(const BlockRow& a, const BlockRow& b);
// row.x, where x is as long as a row of the matrix is wide.
[[nodiscard]] double dot(const BlockRow& row, Eigen::Ref<const Vector> x);
// x += factor row
void add_scaled(const BlockRow& row, double factor, Eigen::Ref<Vector> x);
// The new and the old row of an edit, as columns.  The column of a row that does not exist is zero.  The caller must
// wipe the result: the old row may be one that is to be forgotten.
[[nodiscard]] Matrix edited_rows(const BlockRow& before, const BlockRow& after, std::size_t width);
// |row|_2
[[nodiscard]] double norm(const BlockRow& row);
[[nodiscard]] double squared_norm(const BlockRow& row);

// Z W, one row per row of Z, one column per column of W.
[[nodiscard]] Matrix product(const SparseBlockRows& Z, const Matrix& W, std::size_t threads = 1);

// The most roundings that any term of a row's entries in product() goes through: |computed - exact| <= gamma_depth
// |row| |w|.  Values are added up in short blocks, so this grows with the number of blocks and not with the number of
// values.
[[nodiscard]] std::size_t product_depth(const BlockRow& row);

// Z^T R, where R has as many rows as Z.
[[nodiscard]] Matrix transposed_product(const SparseBlockRows& Z, const Matrix& R, std::size_t threads = 1);

// Rows that one leaf of the summation tree adds one after the other.  Short enough for small errors.  Long enough that
// adding the sums of leaves costs little beside adding the rows.
inline constexpr std::size_t kLeafRows = 128;

// The most additions that any number inside transposed_product() of `rows` rows goes through.
[[nodiscard]] std::size_t summation_depth(std::size_t rows);

// A X for a symmetric A, both triangles given, and an X of a few columns.
[[nodiscard]] Matrix symmetric_product(const Matrix& A, const Matrix& X, std::size_t threads = 1);

// A += X diag(factors) X^T, both triangles, for an X of a few columns.
void add_squares(const Matrix& X, const Vector& factors, Matrix& A);

// The same two for an A of which the lower triangle counts and nothing else is read: half of the memory.  Above the
// diagonal nothing is written but zeros.
[[nodiscard]] Matrix lower_product(const Matrix& A, const Matrix& X, std::size_t threads = 1);
void add_squares_to_lower(const Matrix& X, const Vector& factors, Matrix& A, std::size_t threads = 1);
// add_squares_to_lower() of one or two columns `added`, then lower_product() with X.  One pass over A serves both.
[[nodiscard]] Matrix lower_product_of_changed(const Matrix& added, const Vector& factors, Matrix& A, const Matrix& X,
                                              std::size_t threads = 1);

// G = Z Z^T, the full symmetric matrix.
[[nodiscard]] Matrix gram(const SparseBlockRows& Z, std::size_t threads = 1);
// Computes the rows and columns of G again that belong to changed rows of Z.  Many are computed side by side.
void refresh_gram_rows(const SparseBlockRows& Z, std::span<const std::size_t> changed, Matrix& G,
                       std::size_t threads = 1);

// Rows whose terms weighted_square() adds one after the other.  The sums of such parts are added in their order.  So
// several threads, each of which has some parts, come to the same sum bit for bit.  A multiple of kLeafRows.
inline constexpr std::size_t kSquarePartRows = std::size_t{1} << 16;

// The lower triangle of H += sum of weights(i) z z^T, where z is row first + i of Z.  weights >= 0.  Rows may come in
// several calls, with the same sum bit for bit, if all calls but the last have a multiple of kLeafRows rows.
void add_weighted_square(const SparseBlockRows& Z, std::size_t first, const Eigen::Ref<const Vector>& weights,
                         Matrix& H, std::size_t threads = 1);

// Z^T diag(weights) Z for weights >= 0, the full symmetric matrix.
[[nodiscard]] Matrix weighted_square(const SparseBlockRows& Z, const Eigen::Ref<const Vector>& weights,
                                     std::size_t threads = 1);
// weighted_square() for every column of `weights`, where ranks share the rows of Z (row_share.h).  While one rank adds
// up its rows for a column, the next rank does so for the column before.
//
// Per column, with R ranks of which r have rows: r - 1 + R - 1 messages.  Each has one lower triangle, 4 d (d + 1)
// bytes.  A message between two ranks whose border cuts a part of kSquarePartRows rows has two, unless it is the first
// part.
[[nodiscard]] std::vector<Matrix> shared_weighted_squares(const SparseBlockRows& Z, const Matrix& weights,
                                                          std::size_t threads = 1);

}  // namespace unscatter
