// Sums over all rows.  Leaves of kLeafRows rows are added up row by row, and a balanced tree of additions joins the
// leaves (docs/theory.md, "The summation tree").  The shape of the tree depends on the number of rows alone.  So the
// result does not depend on threads, and its rounding error grows with the depth of the tree, which summation_depth()
// counts.  The function transposed_product() of row_products.h is here too, because it is a sum over the same tree.
#include "linalg/row_pass.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "linalg/row_groups.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "linalg/summation_tree.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

// The most pieces of work for the threads.  Many more pieces than threads keep all threads busy until the end; each
// piece costs one matrix of sums.
constexpr std::size_t kMostParts = 32;

// Leaves of one part.  A power of two, so that every part is a node of the tree: join() then finishes the same tree
// that one thread alone would have built.
std::size_t leaves_per_part(std::size_t rows) { return std::bit_ceil((leaves_of(rows) + kMostParts - 1) / kMostParts); }

// Adds up a range of leaves.  A leaf is a function (number of the leaf, sum) that adds its rows to `sum`, which is all
// zeros.
//
// The sum of a left half goes straight into the caller's sum.  Only right halves need memory of their own: one matrix
// per level, kept for the next range.
template <typename Leaf>
class LeafTree {
 public:
  LeafTree(const Leaf& leaf, Index rows, Index columns) : leaf_(leaf), rows_(rows), columns_(columns) {}

  void add_up(std::size_t first, std::size_t count, PaddedColumns& sum, std::size_t level = 0) {
    if (count == 1) return leaf_(first, sum);
    const std::size_t left = left_part(count);
    add_up(first, left, sum, level + 1);
    if (level >= right_.size()) right_.resize(level + 1, PaddedColumns(rows_, columns_));
    // The call below may let right_ grow, which would move this level's matrix.  It is taken out while it is in use.
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

// The upper levels of the tree: parts[first] becomes the sum of `count` parts.
void join(std::vector<PaddedColumns>& parts, std::size_t first, std::size_t count) {
  if (count == 1) return;
  const std::size_t left = left_part(count);
  join(parts, first, left);
  join(parts, first + left, count - left);
  parts[first] += parts[first + left];
}

// Whether the leaves of a part have to be added up one after the other: they share a place for sums.
enum class PartOrder { kAny, kOneAfterTheOther };

// The tree where every rank has some of its leaves.
class SharedTree {
 public:
  SharedTree(const RowShare& share, Index width, Index columns, PartOrder order)
      : share_(share),
        width_(width),
        columns_(columns),
        order_(order),
        first_(share.begins[share.rank] / kLeafRows),
        last_(leaves_of(share.begins[share.rank + 1])) {
    if (!has_rows(share)) last_ = first_;
  }

  // `leaf` as in sum_over_rows().
  template <typename Leaf>
  Matrix sum(std::size_t multiplications, std::size_t threads, const Leaf& leaf) {
    const std::size_t total = share_.begins.back();
    const std::size_t per_part = leaves_per_part(total);
    // Nodes of so many leaves, or fewer, are the pieces of work.  Where order is kept, a piece lies in one part.
    const std::size_t here = (last_ - first_ + kMostParts - 1) / kMostParts;
    cut(0, leaves_of(total), order_ == PartOrder::kAny ? std::bit_ceil(std::max<std::size_t>(here, 1)) : per_part);
    sums_.resize(nodes_.size(), PaddedColumns(0, columns_));
    const auto add_up = [&](std::size_t node) {
      sums_[node] = PaddedColumns(width_, columns_);
      const std::size_t part = nodes_[node].first / per_part;
      const std::size_t begin = share_.begins[share_.rank];
      const std::size_t end = share_.begins[share_.rank + 1];
      const auto one_leaf = [&](std::size_t at, PaddedColumns& sum) {
        leaf(at * kLeafRows - begin, std::min((at + 1) * kLeafRows, end) - begin, part, sum);
      };
      LeafTree tree(one_leaf, width_, columns_);
      tree.add_up(nodes_[node].first, nodes_[node].leaves, sums_[node]);
    };
    // Neighbouring nodes that one thread takes one after the other.
    std::vector<std::size_t> groups;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const bool joins = order_ == PartOrder::kOneAfterTheOther && node > 0 &&
                         nodes_[node].first / per_part == nodes_[node - 1].first / per_part;
      if (!joins) groups.push_back(node);
    }
    groups.push_back(nodes_.size());
    parallel_for(groups.size() - 1, worthwhile_threads(multiplications, threads), 1,
                 [&](std::size_t group, std::size_t) {
                   for (std::size_t node = groups[group]; node < groups[group + 1]; ++node) add_up(node);
                 });
    finish(0, leaves_of(total));
    Matrix result = share_.rank == first_rank(share_) ? sums_[0].first(columns_) : Matrix(width_, columns_);
    share_.communicator->broadcast_numbers(std::span(result.data(), static_cast<std::size_t>(result.size())),
                                           first_rank(share_));
    return result;
  }

 private:
  struct Node {
    std::size_t first;
    std::size_t leaves;
  };

  // The nodes of this rank, none larger than `most` leaves.
  void cut(std::size_t first, std::size_t leaves, std::size_t most) {
    if (first >= last_ || first + leaves <= first_) return;
    if (first >= first_ && first + leaves <= last_ && leaves <= most) return nodes_.push_back({first, leaves});
    const std::size_t left = left_part(leaves);
    cut(first, left, most);
    cut(first + left, leaves - left, most);
  }

  [[nodiscard]] std::size_t rank_of(std::size_t leaf) const { return rank_of_row(share_, leaf * kLeafRows); }

  // The sum of a node comes to the rank that has its first leaf, in the place of that leaf's own node.  Every rank
  // meets its messages in the order of one walk through the tree, so no two wait for each other.
  void finish(std::size_t first, std::size_t leaves) {
    const std::size_t left_rank = rank_of(first);
    const bool of_one_rank = left_rank == rank_of(first + leaves - 1);
    if (of_one_rank && left_rank != share_.rank) return;
    if (of_one_rank && nodes_[place_of(first)].leaves == leaves) return;
    const std::size_t left = left_part(leaves);
    finish(first, left);
    finish(first + left, leaves - left);
    const std::size_t right_rank = rank_of(first + left);
    if (left_rank == right_rank) {
      if (left_rank == share_.rank) sums_[place_of(first)] += sums_[place_of(first + left)];
    } else if (right_rank == share_.rank) {
      const Matrix right = sums_[place_of(first + left)].first(columns_);
      share_.communicator->send_numbers(left_rank,
                                        std::span<const double>(right.data(), static_cast<std::size_t>(right.size())));
    } else if (left_rank == share_.rank) {
      Matrix right(width_, columns_);
      share_.communicator->receive_numbers(right_rank, std::span(right.data(), static_cast<std::size_t>(right.size())));
      sums_[place_of(first)] += PaddedColumns(right);
    }
  }

  [[nodiscard]] std::size_t place_of(std::size_t leaf) const {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), leaf,
                                     [](const Node& node, std::size_t wanted) { return node.first < wanted; });
    invariant(at != nodes_.end() && at->first == leaf, "a node of this rank");
    return static_cast<std::size_t>(at - nodes_.begin());
  }

  const RowShare& share_;
  Index width_;
  Index columns_;
  PartOrder order_;
  std::size_t first_;  // leaf of this rank
  std::size_t last_;
  std::vector<Node> nodes_;  // of this rank, in their order
  std::vector<PaddedColumns> sums_;
};

// The whole tree.  A leaf is a function (first row, last row, part, sum) that adds its rows to `sum`, which is all
// zeros.
template <typename Leaf>
Matrix sum_over_rows(const SparseBlockRows& Z, Index columns, std::size_t threads, PartOrder order, const Leaf& leaf) {
  if (Z.share() != nullptr) {
    return SharedTree(*Z.share(), static_cast<Index>(Z.columns()), columns, order)
        .sum(Z.stored_values() * kernel::padded_columns(static_cast<std::size_t>(columns)), threads, leaf);
  }
  const std::size_t leaves = leaves_of(Z.rows());
  const auto width = static_cast<Index>(Z.columns());
  if (leaves == 0) return Matrix::Zero(width, columns);
  const std::size_t per_part = leaves_per_part(Z.rows());
  const std::size_t padded = kernel::padded_columns(static_cast<std::size_t>(columns));
  std::vector<PaddedColumns> sums(pass_parts(Z.rows()), PaddedColumns(0, columns));
  parallel_for(sums.size(), worthwhile_threads(Z.stored_values() * padded, threads), 1,
               [&](std::size_t part, std::size_t) {
                 // Made by the thread that fills it: one thread alone would take long to clear all of them.
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
  // bit_width(p) >= ceil(log2 p), the number of levels above p leaves.  It counts one too many where p is a power of
  // two, which is the safe side.
  return std::min(rows, kLeafRows) + static_cast<std::size_t>(std::bit_width(leaves_of(rows)));
}

std::size_t pass_parts(std::size_t rows) {
  const std::size_t per_part = leaves_per_part(rows);
  return (leaves_of(rows) + per_part - 1) / per_part;
}

std::size_t rows_of_a_part(std::size_t rows) { return leaves_per_part(rows) * kLeafRows; }

Matrix transposed_product(const SparseBlockRows& Z, const Matrix& R, std::size_t threads) {
  invariant(R.rows() == static_cast<Index>(Z.rows()), "transposed_product(): R has one row per row of Z");
  return sum_over_rows(Z, R.cols(), threads, PartOrder::kAny,
                       [&](std::size_t first, std::size_t last, std::size_t, PaddedColumns& sum) {
                         // The padding stays zero: only the columns of R are written below.
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

namespace {

Matrix pass_in_order(const SparseBlockRows& Z, const Matrix& W, const RowBlockFunction& factors, std::size_t threads,
                     PartOrder order) {
  invariant(W.rows() == static_cast<Index>(Z.columns()), "pass_over_rows(): W has one row per column of Z");
  const PaddedColumns padded(W);
  return sum_over_rows(Z, W.cols(), threads, order,
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
                           // The caller turns products into factors in place.  The rows are still in the first-level
                           // cache when they are added.
                           factors({begin, end - begin, padded.padded(), values.data(), part});
                           const double* factor = values.data();
                           for (const RowGroup& group : groups) {
                             group.add_to(sum.data(), sum.padded(), factor);
                             factor += group.size * padded.padded();
                           }
                         }
                       });
}

}  // namespace

Matrix pass_over_rows(const SparseBlockRows& Z, const Matrix& W, const RowBlockFunction& factors, std::size_t threads) {
  return pass_in_order(Z, W, factors, threads, PartOrder::kOneAfterTheOther);
}

Matrix weighted_square_product(const SparseBlockRows& Z, const Matrix& weights, const Matrix& X, std::size_t threads) {
  invariant(weights.rows() == static_cast<Index>(Z.rows()) && weights.cols() == X.cols(),
            "weighted_square_product(): one weight per row and column");
  return pass_in_order(
      Z, X,
      [&weights](const RowBlock& block) {
        for (Index k = 0; k < weights.cols(); ++k) {
          const double* weight = &weights(static_cast<Index>(block.first), k);
          double* value = block.values + k;
          for (std::size_t r = 0; r < block.rows; ++r) value[r * block.stride] *= weight[r];
        }
      },
      threads, PartOrder::kAny);
}

}  // namespace unscatter
