#include "unscatter/linalg/updatable_cholesky.h"

#include <Eigen/Cholesky>
#include <utility>

namespace unscatter {

struct UpdatableCholesky::State {
  Eigen::LLT<Matrix> factor;
};

UpdatableCholesky::UpdatableCholesky(std::unique_ptr<State> state) : state_(std::move(state)) {}
UpdatableCholesky::UpdatableCholesky(UpdatableCholesky&&) noexcept = default;
UpdatableCholesky& UpdatableCholesky::operator=(UpdatableCholesky&&) noexcept = default;
UpdatableCholesky::~UpdatableCholesky() = default;

std::optional<UpdatableCholesky> UpdatableCholesky::factorise(const Matrix& A) {
  auto state = std::make_unique<State>();
  state->factor.compute(A);
  if (state->factor.info() != Eigen::Success) return std::nullopt;
  return UpdatableCholesky(std::move(state));
}

bool UpdatableCholesky::update(const Vector& x, double sigma) {
  if (sigma == 0) return true;
  state_->factor.rankUpdate(x, sigma);
  return state_->factor.info() == Eigen::Success;
}

Vector UpdatableCholesky::solve(const Vector& right_side) const { return state_->factor.solve(right_side); }

}  // namespace unscatter
