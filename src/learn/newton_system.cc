#include "unscatter/learn/newton_system.h"

#include <numeric>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "linalg/nearby_solve.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// A factor is tried where curvatures have moved by less than this share in total; further away a new one is cheaper
// than an iteration that gives up.
constexpr double kNear = 0.1;
// Iterations after which a new factor pays for itself soon.
constexpr std::size_t kTooMany = 10;
constexpr std::size_t kMostKeptEntries = std::size_t{1} << 26;  // half a gigabyte

bool is_near(const Vector& curvature, const Vector& kept) {
  return curvature.size() == kept.size() && (curvature - kept).lpNorm<1>() <= kNear * kept.lpNorm<1>();
}

}  // namespace

void NewtonSystem::reset() { gram_.resize(0, 0); }

void NewtonSystem::refresh_row(const SparseBlockRows& rows, std::size_t i) {
  if (gram_.size() != 0) refresh_gram_row(rows, i, gram_);
}

const Matrix& NewtonSystem::gram(const Objective& objective) {
  if (form_ == HessianForm::kDual && gram_.size() == 0) gram_ = unscatter::gram(objective.rows(), objective.threads());
  return gram_;
}

Result<Vector> NewtonSystem::solve_column(const Objective& objective, const Vector& curvature, const Vector& right_side,
                                          Kept* kept, bool& factorised) const {
  const SparseBlockRows& Z = objective.rows();
  const double ridge = objective.ridge();
  if (kept != nullptr && kept->factor.size() != 0 && is_near(curvature, kept->curvature)) {
    std::optional<NearbySolution> solution =
        form_ == HessianForm::kDual ? nearby_dual_solve(kept->factor, Z, gram_, curvature, ridge, right_side)
                                    : nearby_primal_solve(kept->factor, Z, curvature, ridge, right_side);
    if (solution) {
      if (solution->iterations > kTooMany) kept->factor.resize(0, 0);
      return std::move(solution->x);
    }
  }
  factorised = true;
  UNSCATTER_TRY(H, form_ == HessianForm::kDual ? RegularisedHessian::dual(Z, gram_, curvature, ridge)
                                               : RegularisedHessian::primal(Z, curvature, ridge));
  Vector x = H.solve(right_side);
  if (kept != nullptr) *kept = {std::move(H).take_factor(), curvature};
  return x;
}

Result<Matrix> NewtonSystem::solve(const Objective& objective, std::span<const std::size_t> classes,
                                   const Matrix& curvatures, const Matrix& right_sides) {
  invariant(curvatures.cols() == right_sides.cols(), "one column of curvatures per right side");
  invariant(classes.size() == static_cast<std::size_t>(right_sides.cols()), "one class per right side");
  (void)gram(objective);  // before the threads share it
  const std::size_t order = form_ == HessianForm::kDual ? objective.rows().rows() : objective.width();
  const bool keep = keep_ && objective.classes() * order * order <= kMostKeptEntries;
  if (keep) kept_.resize(objective.classes());

  Matrix steps(right_sides.rows(), right_sides.cols());
  std::vector<std::optional<Error>> errors(classes.size());
  std::vector<char> factorised(classes.size(), 0);
  parallel_for(classes.size(), objective.threads(), 1, [&](std::size_t column, std::size_t) {
    const auto c = static_cast<Eigen::Index>(column);
    bool fresh = false;
    Result<Vector> x =
        solve_column(objective, curvatures.col(c), right_sides.col(c), keep ? &kept_[classes[column]] : nullptr, fresh);
    factorised[column] = fresh ? 1 : 0;
    if (x.ok()) {
      steps.col(c) = *x;
    } else {
      errors[column] = std::move(x).error();
    }
  });
  for (const char fresh : factorised) factorisations_ += fresh != 0 ? 1U : 0U;
  for (std::optional<Error>& error : errors) {
    if (error) return *std::move(error);
  }
  return steps;
}

Result<Matrix> NewtonSystem::solve(const Objective& objective, const Matrix& curvatures, const Matrix& right_sides) {
  std::vector<std::size_t> all(static_cast<std::size_t>(right_sides.cols()));
  std::iota(all.begin(), all.end(), std::size_t{0});
  return solve(objective, all, curvatures, right_sides);
}

}  // namespace unscatter
