#include "reembedding/power_cache.h"

#include <utility>

#include "reembedding/node_slots.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

using Eigen::Index;

Result<PowerCache> PowerCache::create(const Matrix& S, std::size_t degree) {
  UNSCATTER_CHECK_OK(check_shift(S));
  if (degree == 0) return Error{ErrorCode::kInvalidArgument, "a power cache needs a degree of at least one"};
  std::vector<Matrix> powers;
  powers.reserve(degree + 1);
  powers.emplace_back(Matrix::Identity(S.rows(), S.cols()));
  powers.push_back(S);
  for (std::size_t k = 2; k <= degree; ++k) powers.emplace_back(powers[k - 1] * S);
  return PowerCache(std::move(powers));
}

std::size_t PowerCache::bytes() const noexcept { return powers_.size() * nodes() * nodes() * sizeof(double); }

Status PowerCache::remove_node(std::size_t node, NodeRemoval style) {
  UNSCATTER_CHECK_OK(check_removal(nodes(), node, style));
  const auto v = static_cast<Index>(node);
  const auto K = static_cast<Index>(degree());
  const auto g = static_cast<Index>(nodes());

  // Column v of every power is read before any of them changes.  from_v.col(K - 1 - e) = S^e e_v, which is also row v,
  // because S is symmetric.  Exponents descend, so that the columns which (1) needs for one k are neighbours.  Each
  // power then takes one product of matrices.
  Matrix F(g, K);
  Matrix from_v(g, K);
  Vector returns(K);  // returns(t) = (S^t)_vv
  for (Index e = 0; e < K; ++e) {
    const Matrix& power = powers_[static_cast<std::size_t>(e)];
    from_v.col(K - 1 - e) = power.col(v);
    returns(e) = power(v, v);
    F.col(e) = powers_[static_cast<std::size_t>(e + 1)].col(v);
  }
  // (2); F.col(m - 1) = f_m.
  for (Index m = 2; m <= K; ++m) {
    for (Index s = 1; s < m; ++s) F.col(m - 1) -= returns(m - s) * F.col(s - 1);
  }
  for (Index k = 1; k <= K; ++k) {
    Matrix& power = powers_[static_cast<std::size_t>(k)];
    power.noalias() -= F.leftCols(k) * from_v.middleCols(K - k, k).transpose();  // (1)
  }
  if (style == NodeRemoval::kCompact) {
    for (Matrix& power : powers_) power = without(power, v);
  } else {
    for (Index k = 1; k <= K; ++k) {
      // (1) holds for i, j != v only.  S^0 stays the identity, because the node keeps its place.
      powers_[static_cast<std::size_t>(k)].row(v).setZero();
      powers_[static_cast<std::size_t>(k)].col(v).setZero();
    }
  }
  return ok_status();
}

Matrix PowerCache::filter(std::span<const double> coefficients) const {
  invariant(coefficients.size() <= powers_.size(), "a polynomial of higher degree than the cache");
  Matrix H = Matrix::Zero(powers_.front().rows(), powers_.front().cols());
  for (std::size_t k = 0; k < coefficients.size(); ++k) H += coefficients[k] * powers_[k];
  return H;
}

RowMatrix PowerCache::apply(std::span<const double> coefficients, const RowMatrix& signals) const {
  return filter(coefficients) * signals;
}

void PowerCache::apply_wavelets(std::size_t scales, const RowMatrix& signals, std::vector<RowMatrix>& bands) const {
  invariant(scales >= 1 && scales <= 16 && (std::size_t{1} << (scales - 1)) <= degree(),
            "more scales than cached powers");
  bands.resize(scales);
  // Only dyadic powers are needed, and each of them is applied to the signals once.
  RowMatrix before = signals;
  for (std::size_t j = 0; j < scales; ++j) {
    RowMatrix after = powers_[std::size_t{1} << j] * signals;
    bands[j] = before - after;
    before = std::move(after);
  }
}

}  // namespace unscatter
