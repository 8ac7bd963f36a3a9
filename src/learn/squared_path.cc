#include "learn/squared_path.h"

#include <fmt/format.h>

#include "linalg/cholesky.h"
#include "linalg/row_products.h"

namespace unscatter {

SquaredPath::SquaredPath(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, std::size_t classes,
                         std::size_t threads)
    : rows_(&rows), threads_(threads), dual_(rows.rows() < rows.columns()) {
  const auto count = static_cast<Eigen::Index>(rows.rows());
  Matrix signs = Matrix::Constant(count, static_cast<Eigen::Index>(classes), -1);
  for (Eigen::Index i = 0; i < count; ++i) signs(i, labels[static_cast<std::size_t>(i)]) = 1;
  if (dual_) {
    square_ = gram(rows, threads);
    right_side_ = std::move(signs);
  } else {
    square_ = weighted_square(rows, Vector::Ones(count));
    right_side_ = transposed_product(rows, signs, threads);
  }
}

Result<Matrix> SquaredPath::weights(double ridge) const {
  if (!(ridge > 0)) return Error{ErrorCode::kInvalidArgument, fmt::format("a ridge of {} is not positive", ridge)};
  Matrix factor = square_;
  factor.diagonal().array() += ridge;
  if (!cholesky_in_place(factor)) {
    return Error{ErrorCode::kNotConverged, fmt::format("a ridge of {:g} is too faint for this data", ridge)};
  }
  Matrix solution = right_side_;
  for (Eigen::Index k = 0; k < solution.cols(); ++k) {
    Vector column = solution.col(k);
    cholesky_solve_in_place(factor, column);
    solution.col(k) = column;
  }
  return dual_ ? transposed_product(*rows_, solution, threads_) : solution;
}

}  // namespace unscatter
