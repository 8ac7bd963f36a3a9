// Sums over all rows: a balanced tree of additions over leaves of kLeafRows rows (docs/theory.md, "The summation
// tree").  transposed_product() of row_products.h is here too, because it is a sum over the same tree.
#include "linalg/row_pass.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "linalg/row_groups.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

constexpr std::size_t kMostParts = 32;

std::size_t leaves_of(std::size_t rows) { return (rows + kLeafRows - 1) / kLeafRows; }

// Where a range of more than one unit is cut: after the largest power of two of units below its length.
std::size_t left_part(std::size_t units) { return std::bit_floor(units - 1); }

// Leaves of a part: a power of two, so that every part is a node of the tree.
std::size_t leaves_per_part(std::size_t rows) { return std::bit_ceil((leaves_of(rows) + kMostParts - 1) / kMostParts); }

// Adds up a range of leaves.  Leaf: (leaf, sum), with sum all zeros.
template <typename Leaf>
class LeafTree {
 public:
  LeafTree(const Leaf& leaf, Index rows, Index columns) : leaf_(leaf), rows_(rows), columns_(columns) {}

  void add_up(std::size_t first, std::size_t count, PaddedColumns& sum, std::size_t level = 0) {
    if (count == 1) return leaf_(first, sum);
    const std::size_t left = left_part(count);
    add_up(first, left, sum, level + 1);
    if (level >= right_.size()) right_.resize(level + 1, PaddedColumns(rows_, columns_));
    // Deeper levels come and go while a right half is summed, but this level's place stays its own.
    PaddedColumns right = std::move(right_[level]);
    right.clear();
    add_up(first + left, count - left, right, level + 1);
    sum += right;
    right_[level] = std::move(right);
  }

 private:
  const Leaf& leaf_;
  Index rows_;
  Index columns_;
  std::vector<PaddedColumns> right_;
};

void join(std::vector<PaddedColumns>& parts, std::size_t first, std::size_t count) {
  if (count == 1) return;
  const std::size_t left = left_part(count);
  join(parts, first, left);
  join(parts, first + left, count - left);
  parts[first] += parts[first + left];
}

// The whole tree.  Leaf: (first row, last row, part, sum).  The numbers do not depend on threads.
template <typename Leaf>
Matrix sum_over_rows(const SparseBlockRows& Z, Index columns, std::size_t threads, const Leaf& leaf) {
  const std::size_t leaves = leaves_of(Z.rows());
  const auto width = static_cast<Index>(Z.columns());
  if (leaves == 0) return Matrix::Zero(width, columns);
  const std::size_t per_part = leaves_per_part(Z.rows());
  const std::size_t padded = kernel::padded_columns(static_cast<std::size_t>(columns));
  std::vector<PaddedColumns> sums(pass_parts(Z.rows()), PaddedColumns(0, columns));
  parallel_for(sums.size(), worthwhile_threads(Z.stored_values() * padded, threads), 1,
               [&](std::size_t part, std::size_t) {
                 sums[part] = PaddedColumns(width, columns);
                 const auto one_leaf = [&](std::size_t at, PaddedColumns& sum) {
                   leaf(at * kLeafRows, std::min((at + 1) * kLeafRows, Z.rows()), part, sum);
                 };
                 LeafTree tree(one_leaf, width, columns);
                 const std::size_t first = part * per_part;
                 tree.add_up(first, std::min(per_part, leaves - first), sums[part]);
               });
  join(sums, 0, sums.size());
  return sums[0].first(columns);
}

}  // namespace

std::size_t summation_depth(std::size_t rows) {
  return std::min(rows, kLeafRows) + static_cast<std::size_t>(std::bit_width(leaves_of(rows)));
}

std::size_t pass_parts(std::size_t rows) {
  const std::size_t per_part = leaves_per_part(rows);
  return (leaves_of(rows) + per_part - 1) / per_part;
}

Matrix transposed_product(const SparseBlockRows& Z, const Matrix& R, std::size_t threads) {
  invariant(R.rows() == static_cast<Index>(Z.rows()), "transposed_product(): R has one row per row of Z");
  return sum_over_rows(Z, R.cols(), threads, [&](std::size_t first, std::size_t last, std::size_t, PaddedColumns& sum) {
    std::vector<double> factors(kernel::kMostRows * sum.padded(), 0.0);
    for (std::size_t i = first; i < last;) {
      const RowGroup group(Z, i, last);
      for (std::size_t r = 0; r < group.size; ++r) {
        double* factor = factors.data() + r * sum.padded();
        for (Index k = 0; k < R.cols(); ++k) factor[k] = R(static_cast<Index>(i + r), k);
      }
      group.add_to(sum.data(), sum.padded(), factors.data());
      i += group.size;
    }
  });
}

Matrix pass_over_rows(const SparseBlockRows& Z, const Matrix& W, const RowBlockFunction& factors, std::size_t threads) {
  invariant(W.rows() == static_cast<Index>(Z.columns()), "pass_over_rows(): W has one row per column of Z");
  const PaddedColumns padded(W);
  return sum_over_rows(Z, W.cols(), threads,
                       [&](std::size_t first, std::size_t last, std::size_t part, PaddedColumns& sum) {
                         std::vector<double> values(kMostBlockRows * padded.padded());
                         std::vector<RowGroup> groups;
                         groups.reserve(kMostBlockRows);
                         for (std::size_t begin = first; begin < last; begin += kMostBlockRows) {
                           const std::size_t end = std::min(begin + kMostBlockRows, last);
                           groups.clear();
                           for (std::size_t i = begin; i < end; i += groups.back().size) {
                             groups.emplace_back(Z, i, end).multiply(padded.data(), padded.padded(),
                                                                     values.data() + (i - begin) * padded.padded());
                           }
                           factors({begin, end - begin, padded.padded(), values.data(), part});
                           const double* factor = values.data();
                           for (const RowGroup& group : groups) {
                             group.add_to(sum.data(), sum.padded(), factor);
                             factor += group.size * padded.padded();
                           }
                         }
                       });
}

Matrix weighted_square_product(const SparseBlockRows& Z, const Matrix& weights, const Matrix& X, std::size_t threads) {
  invariant(weights.rows() == static_cast<Index>(Z.rows()) && weights.cols() == X.cols(),
            "weighted_square_product(): one weight per row and column");
  return pass_over_rows(
      Z, X,
      [&weights](const RowBlock& block) {
        for (Index k = 0; k < weights.cols(); ++k) {
          const double* weight = &weights(static_cast<Index>(block.first), k);
          double* value = block.values + k;
          for (std::size_t r = 0; r < block.rows; ++r) value[r * block.stride] *= weight[r];
        }
      },
      threads);
}

}  // namespace unscatter
