// The losses in long double, written down from their formulas: eleven more bits than the numbers under test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "unscatter/learn/loss.h"

namespace unscatter::testing {

using Wide = long double;

struct WideLoss {
  const Loss& loss;

  [[nodiscard]] Wide value(Wide t) const {
    if (loss.kind() == LossKind::kLogistic) return t > 0 ? std::log1p(std::exp(-t)) : std::log1p(std::exp(t)) - t;
    if (loss.kind() == LossKind::kSquared) return (t - 1) * (t - 1) / 2;
    // The hinge, and what the rounded corner adds to it: (h - |t - 1|)^3 / (6 h^2) within h of the corner.
    const Wide h = loss.smoothing();
    const Wide inside = std::max(Wide{0}, h - std::abs(t - 1));
    return std::max(Wide{0}, 1 - t) + inside * inside * inside / (6 * h * h);
  }
  [[nodiscard]] Wide slope(Wide t) const {
    if (loss.kind() == LossKind::kLogistic) return t > 0 ? -std::exp(-t) / (1 + std::exp(-t)) : -1 / (1 + std::exp(t));
    if (loss.kind() == LossKind::kSquared) return t - 1;
    const Wide h = loss.smoothing();
    const Wide inside = std::max(Wide{0}, h - std::abs(t - 1));
    const Wide corner = inside * inside / (2 * h * h);
    return t < 1 ? corner - 1 : -corner;
  }
  [[nodiscard]] Wide curvature(Wide t) const {
    if (loss.kind() == LossKind::kLogistic)
      return std::exp(-std::abs(t)) / ((1 + std::exp(-std::abs(t))) * (1 + std::exp(-std::abs(t))));
    if (loss.kind() == LossKind::kSquared) return 1;
    const Wide h = loss.smoothing();
    return std::max(Wide{0}, h - std::abs(t - 1)) / (h * h);
  }
};

// EXPECT_NEAR without its conversion to double.
inline void expect_near(Wide actual, Wide expected, Wide tolerance) {
  EXPECT_LE(std::abs(actual - expected), tolerance) << actual << " instead of " << expected;
}

// One of each kind, and huber-svm from nearly a hinge to nearly a parabola.
[[nodiscard]] inline std::vector<Loss> all_losses() {
  return {Loss::logistic(), Loss::squared(), Loss::huber_svm().value(), Loss::huber_svm(0.03).value(),
          Loss::huber_svm(7).value()};
}

}  // namespace unscatter::testing
