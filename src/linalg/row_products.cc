#include "linalg/row_products.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "linalg/kernels.h"
#include "linalg/row_groups.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"
#include "unscatter/base/invariant.h"

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

// The row kernels multiply with so many columns at a time.
constexpr std::size_t kLinesAtOnce = 12;

// Rows [first, last) of result = Z W.
void multiply_rows(const SparseBlockRows& Z, std::size_t first, std::size_t last, const PaddedColumns& W,
                   Matrix& result) {
  std::vector<double> products(kernel::kMostRows * W.padded());
  for (std::size_t i = first; i < last;) {
    const RowGroup group(Z, i, last);
    group.multiply(W.data(), W.padded(), products.data());
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
    // The segment that ends first is done.  Both are done if they end together.
    if (end_a <= end_b) value_a += (segment_a++)->length;
    if (end_b <= end_a) value_b += (segment_b++)->length;
  }
  return sum;
}

double dot(const BlockRow& row, Eigen::Ref<const Vector> x) {
  double sum = 0;
  for_each_segment(row,
                   [&](Index column, const ConstSpan& values) { sum += values.dot(x.segment(column, values.size())); });
  return sum;
}

void add_scaled(const BlockRow& row, double factor, Eigen::Ref<Vector> x) {
  for_each_segment(row,
                   [&](Index column, const ConstSpan& values) { x.segment(column, values.size()) += factor * values; });
}

Matrix edited_rows(const BlockRow& before, const BlockRow& after, std::size_t width) {
  Matrix rows = Matrix::Zero(static_cast<Index>(width), 2);
  add_scaled(after, 1, rows.col(0));
  add_scaled(before, 1, rows.col(1));
  return rows;
}

double squared_norm(const BlockRow& row) {
  return ConstSpan(row.values.data(), index(row.values.size())).squaredNorm();
}

double norm(const BlockRow& row) { return ConstSpan(row.values.data(), index(row.values.size())).stableNorm(); }

Matrix product(const SparseBlockRows& Z, const Matrix& W, std::size_t threads) {
  invariant(W.rows() == index(Z.columns()), "product(): W has one row per column of Z");
  Matrix result(index(Z.rows()), W.cols());
  const PaddedColumns padded(W);
  // Every entry is a sum of its own, so the cut into leaves decides only what a thread does at a time, not the result.
  const std::size_t leaves = (Z.rows() + kLeafRows - 1) / kLeafRows;
  parallel_for(leaves, worthwhile_threads(Z.stored_values() * padded.padded(), threads), 1,
               [&](std::size_t leaf, std::size_t) {
                 const std::size_t first = leaf * kLeafRows;
                 multiply_rows(Z, first, std::min(first + kLeafRows, Z.rows()), padded, result);
               });
  return result;
}

std::size_t product_depth(const BlockRow& row) {
  std::size_t blocks = 0;
  std::size_t longest = 0;
  for (const Segment& segment : row.segments) {
    blocks += (segment.length + kernel::kProductBlock - 1) / kernel::kProductBlock;
    longest = std::max<std::size_t>(longest, std::min(segment.length, kernel::kProductBlock));
  }
  // A term is multiplied once.  It goes through one of the two sums of its block, which has half of the block's values
  // (row_kernels.inc).  Then the two sums are added, and every block adds one more addition to the total.
  return 1 + (longest + 1) / 2 + 1 + blocks;
}

Matrix symmetric_product(const Matrix& A, const Matrix& X, std::size_t threads) {
  invariant(A.rows() == A.cols() && A.cols() == X.rows(), "symmetric_product(): factors that fit");
  // A is symmetric, so its columns, which lie together in memory, are also its rows.  They go through the row kernels,
  // which serve a few columns of X far better than products of matrices do: those would first copy all of A.
  const PaddedColumns padded(X);
  const std::size_t stride = padded.padded();
  const auto n = static_cast<std::size_t>(A.rows());
  Matrix result(X.rows(), X.cols());
  const kernel::SegmentView whole{0, static_cast<std::uint32_t>(n)};
  // Work for one thread at a time.  A multiple of kMostRows, so that no group of rows is cut.
  constexpr std::size_t kRowsAtOnce = 64;
  parallel_for((n + kRowsAtOnce - 1) / kRowsAtOnce, worthwhile_threads(n * n * stride, threads), 1,
               [&](std::size_t block, std::size_t) {
                 std::vector<double> products(kernel::kMostRows * stride);
                 const std::size_t last = std::min((block + 1) * kRowsAtOnce, n);
                 for (std::size_t first = block * kRowsAtOnce; first < last; first += kernel::kMostRows) {
                   const double* rows[kernel::kMostRows] = {};
                   const std::size_t count = std::min(kernel::kMostRows, last - first);
                   for (std::size_t r = 0; r < count; ++r) rows[r] = A.data() + (first + r) * n;
                   kernel::kernels().row_products(rows, count, &whole, 1, padded.data(), stride, products.data());
                   for (std::size_t r = 0; r < count; ++r) {
                     for (Index k = 0; k < X.cols(); ++k) {
                       result(index(first + r), k) = products[r * stride + static_cast<std::size_t>(k)];
                     }
                   }
                 }
               });
  return result;
}

void add_squares(const Matrix& X, const Vector& factors, Matrix& A) {
  invariant(A.rows() == A.cols() && A.rows() == X.rows() && X.cols() == factors.size(),
            "add_squares(): factors that fit");
  // The product X (X diag(factors))^T is symmetric only up to rounding: entries ij and ji may differ in the last digit.
  const Matrix scaled = X * factors.asDiagonal();
  kernel::kernels().add_product(A.data(), A.rows(), X.data(), scaled.data(), X.cols());
}

void add_squares_to_lower(const Matrix& X, const Vector& factors, Matrix& A, std::size_t threads) {
  invariant(A.rows() == A.cols() && A.rows() == X.rows() && X.cols() == factors.size(),
            "add_squares_to_lower(): columns that fit");
  Matrix scaled = X * factors.asDiagonal();
  constexpr std::size_t kAtOnce = 64;
  const auto n = static_cast<std::size_t>(A.rows());
  parallel_for((n + kAtOnce - 1) / kAtOnce, worthwhile_threads(n * n * static_cast<std::size_t>(X.cols()), threads), 1,
               [&](std::size_t block, std::size_t) {
                 const std::size_t first = block * kAtOnce;
                 kernel::kernels().add_product_lower(A.data(), A.rows(), index(first),
                                                     index(std::min(first + kAtOnce, n)), X.data(), scaled.data(),
                                                     X.cols());
               });
  wipe_matrix(scaled);  // a row that goes may be among them
}

namespace {

// Up to so many columns go through the lower triangle one by one, lanes along the lines.  More go through the row
// kernels, whose lanes are columns.
constexpr Index kFewColumns = 4;

// Y = A X by the row kernels.  `change` is called before columns [first, last) of A are read.  Groups of columns go to
// a fixed number of parts, whose sums are added in order: the result does not depend on threads.
template <typename Change>
Matrix lower_product_by_rows(const Matrix& A, const Matrix& X, std::size_t threads, const Change& change) {
  constexpr std::size_t kParts = 8;
  const auto n = static_cast<std::size_t>(A.rows());
  const PaddedColumns padded(X);
  const std::size_t stride = padded.padded();
  std::vector<PaddedColumns> sums(kParts, PaddedColumns(0, X.cols()));
  parallel_for(kParts, worthwhile_threads(n * n * stride, threads), 1, [&](std::size_t part, std::size_t) {
    sums[part] = PaddedColumns(A.rows(), X.cols());
    double* sum = sums[part].data();
    std::vector<double> products(kernel::kMostRows * stride);
    // Every kParts-th group: later columns are shorter, and all parts get long and short ones.
    for (std::size_t first = part * kernel::kMostRows; first < n; first += kParts * kernel::kMostRows) {
      const std::size_t last = std::min(first + kernel::kMostRows, n);
      change(index(first), index(last));
      // The small triangle where these columns meet their own lines.
      for (std::size_t j = first; j < last; ++j) {
        for (std::size_t i = j; i < last; ++i) {
          const double entry = A(index(i), index(j));
          for (std::size_t c = 0; c < stride; ++c) {
            sum[i * stride + c] += entry * padded.data()[j * stride + c];
            if (i != j) sum[j * stride + c] += entry * padded.data()[i * stride + c];
          }
        }
      }
      if (last == n) continue;
      const double* columns[kernel::kMostRows] = {};
      for (std::size_t r = 0; r < kernel::kMostRows; ++r) columns[r] = A.data() + (first + r) * n + last;
      const kernel::SegmentView below{static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(n - last)};
      kernel::kernels().row_products(columns, kernel::kMostRows, &below, 1, padded.data(), stride, products.data());
      for (std::size_t at = 0; at < products.size(); ++at) sum[first * stride + at] += products[at];
      kernel::kernels().add_rows(columns, kernel::kMostRows, &below, 1, padded.data() + first * stride, stride, sum);
    }
  });
  for (std::size_t part = 1; part < kParts; ++part) sums[0] += sums[part];
  return sums[0].first(X.cols());
}

// Y = A X for few columns.  `multiply` makes the share of a part.  Large matrices are cut into a fixed number of parts,
// whose shares are added in order: the result does not depend on threads.
template <typename Multiply>
Matrix lower_product_in_parts(const Matrix& X, std::size_t threads, const Multiply& multiply) {
  // Smaller ones are one of several, which the threads share.
  constexpr Index kLargeOrder = 1024;
  const Index parts = X.rows() < kLargeOrder ? 1 : 8;
  std::vector<Matrix> shares(static_cast<std::size_t>(parts));
  parallel_for(shares.size(), parts == 1 ? 1 : threads, 1, [&](std::size_t part, std::size_t) {
    shares[part].resize(X.rows(), X.cols());
    multiply(index(part), parts, shares[part]);
  });
  for (std::size_t part = 1; part < shares.size(); ++part) shares[0] += shares[part];
  return std::move(shares[0]);
}

}  // namespace

Matrix lower_product(const Matrix& A, const Matrix& X, std::size_t threads) {
  invariant(A.rows() == A.cols() && A.cols() == X.rows(), "lower_product(): factors that fit");
  if (X.cols() > kFewColumns) return lower_product_by_rows(A, X, threads, [](Index, Index) {});
  return lower_product_in_parts(X, threads, [&](Index part, Index parts, Matrix& Y) {
    kernel::kernels().multiply_lower(A.data(), A.rows(), part, parts, X.data(), X.cols(), Y.data());
  });
}

Matrix lower_product_of_changed(const Matrix& added, const Vector& factors, Matrix& A, const Matrix& X,
                                std::size_t threads) {
  invariant(A.rows() == A.cols() && A.cols() == X.rows() && added.rows() == A.rows() &&
                added.cols() == factors.size() && added.cols() <= 2,
            "lower_product_of_changed(): factors that fit");
  Matrix scaled = added * factors.asDiagonal();
  const kernel::Kernels& kernels = kernel::kernels();
  Matrix result;
  if (X.cols() > kFewColumns) {
    result = lower_product_by_rows(A, X, threads, [&](Index first, Index last) {
      kernels.add_product_lower(A.data(), A.rows(), first, last, added.data(), scaled.data(), added.cols());
    });
  } else {
    result = lower_product_in_parts(X, threads, [&](Index part, Index parts, Matrix& Y) {
      kernels.add_and_multiply_lower(A.data(), A.rows(), part, parts, added.data(), scaled.data(), added.cols(),
                                     X.data(), X.cols(), Y.data());
    });
  }
  wipe_matrix(scaled);  // a row that goes may be among them
  return result;
}

namespace {

// Writes the values of a row into one column of W, or zeros in their places.
void spread_row(const BlockRow& row, std::size_t column, bool values, PaddedColumns& W) {
  const double* value = row.values.data();
  for (const Segment& segment : row.segments) {
    double* place = W.data() + segment.column * W.padded() + column;
    for (std::uint32_t c = 0; c < segment.length; ++c, ++value, place += W.padded()) *place = values ? *value : 0;
  }
}

}  // namespace

Matrix gram(const SparseBlockRows& Z, std::size_t threads) {
  const std::size_t n = Z.rows();
  Matrix G(index(n), index(n));
  // Fresh memory of this size for every group would cost as much as the products.
  std::vector<std::optional<PaddedColumns>> spread(std::max<std::size_t>(threads, hardware_threads()));
  // Some rows are spread out.  One pass over the stored values of them and of all later rows follows.  Groups go to
  // threads one by one, because later ones have less to do.
  parallel_for((n + kLinesAtOnce - 1) / kLinesAtOnce, threads, 1, [&](std::size_t group, std::size_t worker) {
    const std::size_t first = group * kLinesAtOnce;
    const std::size_t count = std::min(kLinesAtOnce, n - first);
    if (!spread[worker]) spread[worker].emplace(index(Z.columns()), index(kLinesAtOnce));
    PaddedColumns& W = *spread[worker];
    for (std::size_t c = 0; c < count; ++c) spread_row(Z.row(first + c), c, true, W);
    Matrix lines(index(n), index(count));
    multiply_rows(Z, first, n, W, lines);
    for (std::size_t c = 0; c < count; ++c) {
      const Index i = index(first + c);
      G.col(i).tail(index(n) - i) = lines.col(index(c)).tail(index(n) - i);
      spread_row(Z.row(first + c), c, false, W);
    }
  });
  // Column i was filled from the diagonal on, where its entries lie together.  The rest is a mirror image.
  G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
  return G;
}

namespace {

// One line of G: a pass over all rows with one of them spread out.
void refresh_gram_row(const SparseBlockRows& Z, std::size_t i, Matrix& G) {
  Vector dense(index(Z.columns()));
  Z.copy_row(i, {dense.data(), Z.columns()});
  for (std::size_t j = 0; j < Z.rows(); ++j) G(index(j), index(i)) = dot(Z.row(j), dense);
  G.row(index(i)) = G.col(index(i)).transpose();
}

}  // namespace

void refresh_gram_rows(const SparseBlockRows& Z, std::span<const std::size_t> changed, Matrix& G, std::size_t threads) {
  invariant(G.rows() == index(Z.rows()), "refresh_gram_rows(): G is the Gram matrix of Z");
  // Fewer than this many would be mostly padding.
  constexpr std::size_t kFew = 4;
  if (changed.size() < kFew) {
    for (const std::size_t i : changed) refresh_gram_row(Z, i, G);
    return;
  }
  Matrix spread;
  for (std::size_t first = 0; first < changed.size(); first += kLinesAtOnce) {
    const std::span<const std::size_t> some = changed.subspan(first, std::min(kLinesAtOnce, changed.size() - first));
    spread.resize(index(Z.columns()), index(some.size()));
    for (std::size_t c = 0; c < some.size(); ++c) {
      Z.copy_row(some[c], {spread.col(index(c)).data(), Z.columns()});
    }
    const Matrix lines = product(Z, spread, threads);
    for (std::size_t c = 0; c < some.size(); ++c) G.col(index(some[c])) = lines.col(index(c));
  }
  wipe_matrix(spread);
  // One line after the other.  Two lines that cross have the same number there, whichever was rounded otherwise.
  for (const std::size_t i : changed) G.row(index(i)) = G.col(index(i)).transpose();
}

namespace {

// Wider squares are added in groups of so many columns, which threads share.  The groups depend on the width alone.
constexpr Index kSquareColumns = 512;

void add_square(const RowMatrix& panel, Index rows, Matrix& H, std::size_t threads) {
  const Index d = H.rows();
  if (d <= 2 * kSquareColumns) return kernel::kernels().add_square(H.data(), d, panel.data(), rows);
  const auto groups = static_cast<std::size_t>((d + kSquareColumns - 1) / kSquareColumns);
  parallel_for(groups, threads, 1, [&](std::size_t group, std::size_t) {
    const Index first = index(group) * kSquareColumns;
    kernel::kernels().add_square_columns(H.data(), d, first, std::min(first + kSquareColumns, d), panel.data(), rows);
  });
}

}  // namespace

void add_weighted_square(const SparseBlockRows& Z, std::size_t first, const Eigen::Ref<const Vector>& weights,
                         Matrix& H, std::size_t threads) {
  const std::size_t last = first + static_cast<std::size_t>(weights.size());
  invariant(last <= Z.rows() && H.rows() == index(Z.columns()) && H.cols() == H.rows(),
            "add_weighted_square(): rows that are there, and a matrix that fits");
  const Index d = index(Z.columns());
  // Rows are spread out into dense panels and scaled by the roots of their weights, so that P^T P has the weights in
  // it.  A symmetric update of rank kLeafRows runs near the peak of the processor; sparse rows one by one would not.
  // The panel reuses one piece of memory: Z as a dense matrix may not fit.
  RowMatrix panel(index(std::min(kLeafRows, last - first)), d);
  for (std::size_t begin = first; begin < last; begin += kLeafRows) {
    const std::size_t count = std::min(kLeafRows, last - begin);
    for (std::size_t r = 0; r < count; ++r) {
      Z.copy_row(begin + r, {panel.data() + r * Z.columns(), Z.columns()});
      panel.row(index(r)) *= std::sqrt(weights(index(begin - first + r)));
    }
    add_square(panel, index(count), H, threads);
  }
}

namespace {

// Parts whose sums a rank makes before it is its turn take so much memory at most, in bytes; one is made in any case.
constexpr std::size_t kHeldParts = std::size_t{1} << 28;

std::size_t lower_size(Index d) { return static_cast<std::size_t>(d) * (static_cast<std::size_t>(d) + 1) / 2; }

double* pack_lower(const Matrix& A, double* out) {
  for (Index j = 0; j < A.cols(); ++j) out = std::copy_n(A.data() + j * A.rows() + j, A.rows() - j, out);
  return out;
}

const double* unpack_lower(const double* in, Matrix& A) {
  for (Index j = 0; j < A.cols(); ++j) {
    std::copy_n(in, A.rows() - j, A.data() + j * A.rows() + j);
    in += A.rows() - j;
  }
  return in;
}

// The square of one column of weights, where ranks share the rows.  The sum of all parts so far goes from rank to rank,
// and with it the unfinished sum of a part whose rows are with several ranks.
class SharedSquare {
 public:
  SharedSquare(const SparseBlockRows& Z, std::size_t threads) : Z_(Z), share_(*Z.share()), threads_(threads) {}

  // The rank with the last row has the lower triangle of the whole in H.
  void add_up(const Eigen::Ref<const Vector>& weights, Matrix& H) {
    if (!has_rows(share_)) return;
    const std::size_t begin = share_.begins[share_.rank];
    const std::size_t end = share_.begins[share_.rank + 1];
    const auto add_piece = [&](std::size_t first, Matrix& sum, std::size_t threads) {
      const std::size_t last = std::min((first / kSquarePartRows + 1) * kSquarePartRows, end);
      add_weighted_square(Z_, first - begin, weights.segment(index(first - begin), index(last - first)), sum, threads);
      return last;
    };
    // Parts that begin here need nothing of others.  As many as fit are made before it is this rank's turn.
    const std::size_t fresh = (begin + kSquarePartRows - 1) / kSquarePartRows * kSquarePartRows;
    const std::size_t parts = fresh < end ? (end - fresh + kSquarePartRows - 1) / kSquarePartRows : 0;
    const std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(H.size()) * sizeof(double), 1);
    std::vector<Matrix> held(std::min(parts, std::max<std::size_t>(kHeldParts / bytes, 1)));
    parallel_for(held.size(), threads_, 1, [&](std::size_t at, std::size_t) {
      held[at] = Matrix::Zero(H.rows(), H.cols());
      add_piece(fresh + at * kSquarePartRows, held[at], held.size() == 1 ? threads_ : 1);
    });

    Matrix part = Matrix::Zero(H.rows(), H.cols());
    if (begin > 0) receive(begin, H, part);
    const auto join = [&](std::size_t last, Matrix& sum) {
      // The part is finished here, or the next rank goes on with it.
      if (last % kSquarePartRows == 0 || last == share_.begins.back()) {
        if (last <= kSquarePartRows) {
          H.swap(sum);
        } else {
          H += sum;
        }
      } else {
        part.swap(sum);
      }
    };
    if (begin % kSquarePartRows != 0) {
      Matrix going_on;
      going_on.swap(part);
      part = Matrix::Zero(H.rows(), H.cols());
      const std::size_t last = add_piece(begin, going_on, threads_);
      join(last, going_on);
    }
    for (std::size_t at = 0; at < parts; ++at) {
      const std::size_t first = fresh + at * kSquarePartRows;
      if (at >= held.size()) {
        Matrix next = Matrix::Zero(H.rows(), H.cols());
        const std::size_t last = add_piece(first, next, threads_);
        join(last, next);
      } else {
        join(std::min(first + kSquarePartRows, end), held[at]);
        held[at].resize(0, 0);
      }
    }
    if (end < share_.begins.back()) send(end, H, part);
  }

 private:
  // Where row `number` is the next: whether parts are finished, and whether one is not.
  static bool has_whole(std::size_t number) { return number >= kSquarePartRows; }
  static bool has_part(std::size_t number) { return number % kSquarePartRows != 0; }

  [[nodiscard]] std::vector<double> room(std::size_t number, Index d) const {
    return std::vector<double>(lower_size(d) * ((has_whole(number) ? 1U : 0U) + (has_part(number) ? 1U : 0U)));
  }
  void send(std::size_t number, const Matrix& whole, const Matrix& part) {
    std::vector<double> numbers = room(number, whole.rows());
    double* out = numbers.data();
    if (has_whole(number)) out = pack_lower(whole, out);
    if (has_part(number)) pack_lower(part, out);
    share_.communicator->send_numbers(rank_after(share_, share_.rank), std::span<const double>(numbers));
  }
  void receive(std::size_t number, Matrix& whole, Matrix& part) {
    std::vector<double> numbers = room(number, whole.rows());
    share_.communicator->receive_numbers(rank_before(share_, share_.rank), std::span(numbers));
    const double* in = numbers.data();
    if (has_whole(number)) in = unpack_lower(in, whole);
    if (has_part(number)) unpack_lower(in, part);
  }

  const SparseBlockRows& Z_;
  const RowShare& share_;
  std::size_t threads_;
};

}  // namespace

std::vector<Matrix> shared_weighted_squares(const SparseBlockRows& Z, const Matrix& weights, std::size_t threads) {
  invariant(Z.share() != nullptr && weights.rows() == index(Z.rows()),
            "shared_weighted_squares(): one weight per row, which ranks share");
  const Index d = index(Z.columns());
  std::vector<Matrix> squares(static_cast<std::size_t>(weights.cols()), Matrix::Zero(d, d));
  // One column after the other.  A rank that has passed one on begins with the next.
  SharedSquare square(Z, threads);
  for (std::size_t c = 0; c < squares.size(); ++c) square.add_up(weights.col(index(c)), squares[c]);
  std::vector<double> numbers(lower_size(d));
  for (Matrix& H : squares) {
    const std::size_t last = last_rank(*Z.share());
    if (last == Z.share()->rank) pack_lower(H, numbers.data());
    Z.share()->communicator->broadcast_numbers(std::span(numbers), last);
    unpack_lower(numbers.data(), H);
    H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  }
  return squares;
}

Matrix weighted_square(const SparseBlockRows& Z, const Eigen::Ref<const Vector>& weights, std::size_t threads) {
  invariant(weights.size() == index(Z.rows()), "weighted_square(): one weight per row");
  if (Z.share() != nullptr) return std::move(shared_weighted_squares(Z, weights, threads)[0]);
  const Index d = index(Z.columns());
  Matrix H = Matrix::Zero(d, d);
  for (std::size_t first = 0; first < Z.rows(); first += kSquarePartRows) {
    const std::size_t count = std::min(kSquarePartRows, Z.rows() - first);
    const auto of_part = weights.segment(index(first), index(count));
    if (first == 0) {
      add_weighted_square(Z, first, of_part, H, threads);
      continue;
    }
    Matrix part = Matrix::Zero(d, d);
    add_weighted_square(Z, first, of_part, part, threads);
    H += part;
  }
  H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  return H;
}

}  // namespace unscatter
