// The squared loss at many ridges.  Its Hessian does not depend on the weights, and it is the same for all classes:
//
//   (Z^T Z + ridge I) W = Z^T S,      or, with fewer rows than columns,      W = Z^T (Z Z^T + ridge I)^-1 S
//
// So the smaller of the two squares is computed once, and a ridge costs one Cholesky factor for all classes.  An
// eigendecomposition would make further ridges cheaper still.  But it costs as much as some thirty factors, which is
// more than any grid has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// A view: the rows must outlive it.
class SquaredPath {
 public:
  // labels: one per row, each below `classes`.
  SquaredPath(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, std::size_t classes,
              std::size_t threads = 1);

  // The minimum, width x classes, to working precision.  Errors: kInvalidArgument unless ridge > 0; kNotConverged if
  // the ridge is too faint for a factor.
  [[nodiscard]] Result<Matrix> weights(double ridge) const;

 private:
  const SparseBlockRows* rows_;
  std::size_t threads_;
  bool dual_;
  Matrix square_;      // Z^T Z or Z Z^T
  Matrix right_side_;  // Z^T S or S
};

}  // namespace unscatter
