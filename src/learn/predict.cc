#include "unscatter/learn/predict.h"

#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

std::uint32_t predict(const BlockRow& row, const Matrix& weights) {
  invariant(weights.cols() >= 1, "a model has at least one class");
  Eigen::Index best = 0;
  double best_score = dot(row, weights.col(0));
  for (Eigen::Index k = 1; k < weights.cols(); ++k) {
    const double score = dot(row, weights.col(k));
    // Greater, not equal: the first class wins among equal scores.
    if (score > best_score) {
      best = k;
      best_score = score;
    }
  }
  return static_cast<std::uint32_t>(best);
}

std::vector<std::uint32_t> predict(const SparseBlockRows& rows, const Matrix& weights) {
  std::vector<std::uint32_t> classes(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) classes[i] = predict(rows.row(i), weights);
  return classes;
}

double accuracy(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, const Matrix& weights) {
  invariant(labels.size() == rows.rows(), "one label per row");
  if (labels.empty()) return 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) right += predict(rows.row(i), weights) == labels[i] ? 1U : 0U;
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

}  // namespace unscatter
