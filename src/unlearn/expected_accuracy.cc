#include "unlearn/expected_accuracy.h"

#include <cmath>
#include <numbers>

namespace unscatter {
namespace {

double normal_share_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// Beyond this many standard deviations a normal number is never seen: Phi(-9) is about 1e-19.
constexpr double kNeverBeyond = 9;

bool is_largest(const Matrix& scores, Eigen::Index row, Eigen::Index label) {
  Eigen::Index best = 0;
  scores.row(row).maxCoeff(&best);
  return best == label;
}

// E prod_{j != y} Phi(t_j + x), by the trapezoid rule.  The integrand is analytic and falls like exp(-x^2 / 2), so the
// error falls faster than any power of the step; with this one it is below 1e-9.
double share_right(const Matrix& scores, Eigen::Index row, Eigen::Index label, double deviation) {
  constexpr double kStep = 0.375;
  double sum = 0;
  for (double x = -kNeverBeyond; x <= kNeverBeyond; x += kStep) {
    double product = std::exp(-x * x / 2);
    for (Eigen::Index j = 0; j < scores.cols() && product > 1e-20; ++j) {
      if (j == label) continue;
      const double t = (scores(row, label) - scores(row, j)) / deviation + x;
      if (t < kNeverBeyond) product *= normal_share_below(t);
    }
    sum += product;
  }
  return sum * kStep / std::sqrt(2 * std::numbers::pi);
}

}  // namespace

double expected_accuracy(const Matrix& scores, std::span<const std::uint32_t> labels, std::span<const double> row_norms,
                         double noise_stddev, std::size_t vectors) {
  double sum = 0;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto label = static_cast<Eigen::Index>(labels[at]);
    const double deviation = noise_stddev * row_norms[at];
    if (!(deviation > 0)) {
      sum += is_largest(scores, i, label) ? 1 : 0;
    } else if (scores.cols() == 2 && vectors == 1) {
      sum += normal_share_below(scores(i, label) / deviation);
    } else if (scores.cols() == 2) {
      sum += normal_share_below((scores(i, label) - scores(i, 1 - label)) / (deviation * std::numbers::sqrt2));
    } else {
      sum += share_right(scores, i, label, deviation);
    }
  }
  return scores.rows() == 0 ? 0 : sum / static_cast<double>(scores.rows());
}

}  // namespace unscatter
