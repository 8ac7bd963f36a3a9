#include "learn/anderson.h"

#include <Eigen/QR>

namespace unscatter {

Vector AndersonMixing::next(const Vector& x, const Vector& f) {
  Vector result = x + f;
  if (last_x_.size() != 0) {
    // The oldest pair goes first: it tells least about f near x.
    if (moves_.size() == kDepth) {
      moves_.erase(moves_.begin());
      changes_.erase(changes_.begin());
    }
    moves_.emplace_back(x - last_x_);
    changes_.emplace_back(f - last_f_);
    const auto depth = static_cast<Eigen::Index>(changes_.size());
    Matrix differences(f.size(), depth);
    for (Eigen::Index j = 0; j < depth; ++j) differences.col(j) = changes_[static_cast<std::size_t>(j)];
    // The shares minimise |f - sum_j share_j change_j|.  The factorisation reveals the rank, because late differences
    // are mostly rounding errors and nearly dependent.
    const Vector share = differences.colPivHouseholderQr().solve(f);
    // Otherwise the plain step x + f stands.
    if (share.allFinite()) {
      for (Eigen::Index j = 0; j < depth; ++j) {
        const auto pair = static_cast<std::size_t>(j);
        result -= share(j) * (moves_[pair] + changes_[pair]);
      }
    }
  }
  last_x_ = x;
  last_f_ = f;
  return result;
}

}  // namespace unscatter
