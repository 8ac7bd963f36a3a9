// What an anchor of the fast rung needs to know of all rows (fast_factor.h), added up over rows that nobody has to hold
// together.  Its size does not depend on the number of rows.
//
// Rows are added in parts of kSquarePartRows, and the parts are joined in their order.  Whoever does so gets the same
// numbers bit for bit: from rows in memory, from rows that are read block by block, and with any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/learn/loss.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

class AnchorSums {
 public:
  // At `weights`, one column per class.
  AnchorSums(const Loss& loss, const Matrix& weights);

  // Adds rows from `first` on.  `curvatures` has one row for each of them, and one column per class: l'' of their
  // margins at the weights.  All calls for a part but its last one have a multiple of kLeafRows rows.
  void add(const SparseBlockRows& Z, std::size_t first, const Eigen::Ref<const Matrix>& curvatures,
           std::size_t threads = 1);
  // Adds all rows of a block, and finds their curvatures.
  void add(const SparseBlockRows& block, std::span<const std::uint32_t> labels);
  // Adds all rows where ranks share them, with any number of parts.  Nothing may have been added before.  Sends what
  // shared_weighted_squares() sends for as many matrices, and two numbers in turns, and the largest of one.
  void add_shared(const SparseBlockRows& Z, const Matrix& curvatures, std::size_t threads);
  // Adds the part that follows.
  void join(const AnchorSums& next);

  // For `rows` rows in all, those without values included.
  [[nodiscard]] KeptCurvature finish(double ridge, std::size_t rows) const;

  // Overwrites the sums, which are made of rows.
  void wipe() noexcept;

 private:
  // How many Hessians are summed up.  Two classes are trained as one, and the second vector is the first one with its
  // sign turned.  Then the margins of both are equal, and one Hessian serves both.
  [[nodiscard]] std::size_t hessians_apart() const;

  Loss loss_;
  Matrix weights_;
  std::vector<Matrix>
      hessians_;   // without the ridge; lower triangles; hessians_apart() of them, none if l'' is constant
  Matrix square_;  // lower triangle
  double frobenius_square_ = 0;
  double largest_square_ = 0;  // of the norm of a row
};

}  // namespace unscatter
