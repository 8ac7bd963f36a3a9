#include "learn/anchor_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "linalg/norms.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

using Eigen::Index;

AnchorSums::AnchorSums(const Loss& loss, const Matrix& weights) : loss_(loss), weights_(weights) {
  const Index width = weights.rows();
  hessians_.assign(hessians_apart(), Matrix::Zero(width, width));
  square_ = Matrix::Zero(width, width);
}

std::size_t AnchorSums::hessians_apart() const {
  // Where l'' is a constant, Z^T Z tells every Hessian.
  if (loss_.curvature_lipschitz() == 0) return 0;
  const bool one_for_both = weights_.cols() == 2 && weights_.col(0) == -weights_.col(1);
  return one_for_both ? 1 : static_cast<std::size_t>(weights_.cols());
}

void AnchorSums::add(const SparseBlockRows& Z, std::size_t first, const Eigen::Ref<const Matrix>& curvatures,
                     std::size_t threads) {
  const auto count = static_cast<std::size_t>(curvatures.rows());
  invariant(first + count <= Z.rows() && curvatures.cols() == weights_.cols() &&
                Z.columns() == static_cast<std::size_t>(weights_.rows()),
            "AnchorSums::add(): one curvature per row and class");
  const std::size_t matrices = hessians_.size() + 1;
  const std::size_t work = count * Z.columns() * Z.columns();
  // Threads share the matrices.  They share the columns of the only one.
  parallel_for(matrices, worthwhile_threads(work, threads), 1, [&](std::size_t k, std::size_t) {
    if (k == hessians_.size()) {
      add_weighted_square(Z, first, Vector::Ones(curvatures.rows()), square_, matrices == 1 ? threads : 1);
    } else {
      add_weighted_square(Z, first, curvatures.col(static_cast<Index>(k)), hessians_[k]);
    }
  });
  for (std::size_t i = first; i < first + count; ++i) {
    const double square = squared_norm(Z.row(i));
    frobenius_square_ += square;
    largest_square_ = std::max(largest_square_, square);
  }
}

void AnchorSums::add(const SparseBlockRows& block, std::span<const std::uint32_t> labels) {
  const Objective objective(block, CheckedLabels{labels}, static_cast<std::size_t>(weights_.cols()), loss_, 0);
  add(block, 0, objective.curvatures(objective.margins(weights_)));
}

void AnchorSums::add_shared(const SparseBlockRows& Z, const Matrix& curvatures, std::size_t threads) {
  const auto apart = static_cast<Index>(hessians_.size());
  Matrix weights(curvatures.rows(), apart + 1);
  weights.leftCols(apart) = curvatures.leftCols(apart);
  weights.col(apart).setOnes();
  std::vector<Matrix> squares = shared_weighted_squares(Z, weights, threads);
  for (std::size_t k = 0; k < squares.size(); ++k) {
    squares[k].triangularView<Eigen::StrictlyUpper>().setZero();
    (k == hessians_.size() ? square_ : hessians_[k]) = std::move(squares[k]);
  }
  // Of finished parts, and of one that is not.
  std::array<double, 2> sums{};
  in_turns(Z.share(), std::span<double>(sums), [&] {
    for (std::size_t i = 0; i < Z.rows(); ++i) {
      const double square = squared_norm(Z.row(i));
      sums[1] += square;
      largest_square_ = std::max(largest_square_, square);
      const std::size_t next = Z.first_of_all() + i + 1;
      if (next % kSquarePartRows != 0 && next != Z.total_rows()) continue;
      sums[0] += sums[1];
      sums[1] = 0;
    }
  });
  frobenius_square_ = sums[0];
  largest_square_ = largest_of_all(Z.share(), largest_square_);
}

void AnchorSums::join(const AnchorSums& next) {
  invariant(hessians_.size() == next.hessians_.size(), "AnchorSums::join(): sums at the same weights");
  for (std::size_t k = 0; k < hessians_.size(); ++k) hessians_[k] += next.hessians_[k];
  square_ += next.square_;
  frobenius_square_ += next.frobenius_square_;
  largest_square_ = std::max(largest_square_, next.largest_square_);
}

KeptCurvature AnchorSums::finish(double ridge, std::size_t rows) const {
  KeptCurvature result;
  const bool one_for_all = hessians_.empty();
  const std::size_t matrices = one_for_all ? 1 : static_cast<std::size_t>(weights_.cols());
  for (std::size_t k = 0; k < matrices; ++k) {
    Matrix A = one_for_all ? Matrix(loss_.curvature_bound() * square_) : hessians_[std::min(k, hessians_.size() - 1)];
    A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
    A.diagonal().array() += ridge;
    result.hessians.push_back(std::move(A));
  }
  result.square = square_;
  result.square.triangularView<Eigen::StrictlyUpper>() = square_.transpose();
  result.ridge = result.largest_ridge = ridge;
  // From here on all scalars are rounded up, each by the roundings that it went through.
  const double norm_bound = spectral_norm_upper_bound_from_gram(result.square, rows);
  if (one_for_all) {
    wipe_matrix(result.square);
    result.square.resize(0, 0);
    result.anchor = Matrix::Zero(weights_.rows(), weights_.cols());
  } else {
    result.anchor = weights_;
  }
  result.spectral_square = norm_bound * norm_bound * (1 + 2 * kUnitRoundoff);
  const double count = static_cast<double>(rows);
  const double width = static_cast<double>(weights_.rows());
  result.frobenius_square = frobenius_square_ * (1 + rounding_factor(count + width));
  result.row_norm = std::sqrt(largest_square_) * (1 + rounding_factor(width + 2));
  // A term passes two roundings for each of its two factors, a product, and the sums over all rows.
  result.roundings = count + 4;
  return result;
}

void AnchorSums::wipe() noexcept {
  for (Matrix& hessian : hessians_) wipe_matrix(hessian);
  wipe_matrix(square_);
  wipe_matrix(weights_);
}

}  // namespace unscatter
