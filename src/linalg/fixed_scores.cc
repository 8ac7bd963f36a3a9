#include "linalg/fixed_scores.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "unscatter/base/invariant.h"

namespace unscatter {

FixedScores::FixedScores(const Matrix& weights, bool bias) : bias_(static_cast<std::size_t>(weights.cols()), 0.0) {
  invariant(weights.cols() > 0, "a model has classes");
  const Eigen::Index columns = weights.rows() - (bias ? 1 : 0);
  weights_.reserve(static_cast<std::size_t>(columns) * bias_.size());
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    for (Eigen::Index k = 0; k < weights.cols(); ++k) {
      if (i < columns) {
        weights_.push_back(weights(i, k));
      } else {
        bias_[static_cast<std::size_t>(k)] = weights(i, k);
      }
    }
  }
}

FixedScores::FixedScores(std::vector<double> weights, std::vector<double> bias)
    : weights_(std::move(weights)), bias_(std::move(bias)) {
  invariant(!bias_.empty() && weights_.size() % bias_.size() == 0, "as many weights for every class");
}

void FixedScores::of(const BlockRow& row, std::span<double> scores) const {
  const std::size_t classes = bias_.size();
  invariant(scores.size() == classes, "one score per class");
  std::fill(scores.begin(), scores.end(), 0.0);
  const double* value = row.values.data();
  for (const Segment& segment : row.segments) {
    invariant(std::size_t{segment.column} + segment.length <= columns(), "a row wider than the embedding");
    const double* weight = weights_.data() + segment.column * classes;
    // One coordinate after the other, and all classes of it at once.  The compiler may put classes side by side into
    // a register, which changes no sum.
    for (std::uint32_t c = 0; c < segment.length; ++c, ++value, weight += classes) {
      for (std::size_t k = 0; k < classes; ++k) scores[k] += *value * weight[k];
    }
  }
  for (std::size_t k = 0; k < classes; ++k) scores[k] += bias_[k];
}

}  // namespace unscatter
