#include "unscatter/learn/newton_system.h"

#include <optional>
#include <utility>
#include <vector>

#include "unscatter/base/invariant.h"
#include "unscatter/base/parallel.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {

void NewtonSystem::reset() { gram_.resize(0, 0); }

void NewtonSystem::refresh_row(const SparseBlockRows& rows, std::size_t i) {
  if (gram_.size() != 0) refresh_gram_row(rows, i, gram_);
}

const Matrix& NewtonSystem::gram(const Objective& objective) {
  if (form_ == HessianForm::kDual && gram_.size() == 0) gram_ = unscatter::gram(objective.rows(), objective.threads());
  return gram_;
}

Result<Matrix> NewtonSystem::solve(const Objective& objective, const Matrix& curvatures, const Matrix& right_sides) {
  invariant(curvatures.cols() == right_sides.cols(), "one column of curvatures per right side");
  const Matrix& G = gram(objective);
  Matrix steps(right_sides.rows(), right_sides.cols());
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(right_sides.cols()));
  parallel_for(errors.size(), objective.threads(), 1, [&](std::size_t column, std::size_t) {
    const auto c = static_cast<Eigen::Index>(column);
    const Vector D = curvatures.col(c);
    Result<RegularisedHessian> H = form_ == HessianForm::kDual
                                       ? RegularisedHessian::dual(objective.rows(), G, D, objective.ridge())
                                       : RegularisedHessian::primal(objective.rows(), D, objective.ridge());
    if (H.ok()) {
      steps.col(c) = H->solve(right_sides.col(c));
    } else {
      errors[column] = std::move(H).error();
    }
  });
  for (std::optional<Error>& error : errors) {
    if (error) return *std::move(error);
  }
  return steps;
}

}  // namespace unscatter
